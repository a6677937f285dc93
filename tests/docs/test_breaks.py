"""Long names in tables break between their words, and nowhere else."""

from __future__ import annotations

import pytest

from docs.building.breaks import broken, with_breaks


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("np.linalg.inv", "np.<wbr>linalg.<wbr>inv"),
        ("value_and_grad", "value_<wbr>and_<wbr>grad"),
        ("tests/docs/test_site.py", "tests/<wbr>docs/<wbr>test_<wbr>site.<wbr>py"),
        ("scan(checkpoint=", "scan(<wbr>checkpoint="),
        ("__init__", "__init__"),
        (".npz", ".npz"),
        ("f(&lt;wide&gt;)", "f(&lt;wide&gt;)"),
    ],
)
def test_where_code_breaks(code, found):
    assert broken(code) == found


def test_only_code_in_tables_breaks():
    code = '<code><span class="pre">a.b</span></code>'
    page = f'<p class="x.y">{code}</p><table class="c.d"><td title="e.f">g.h {code}</td></table>{code}'
    assert with_breaks(page) == page.replace(f"g.h {code}", 'g.h <code><span class="pre">a.<wbr>b</span></code>')

"""Places where long names may break, so that columns of code need not be as wide as their longest word."""

from __future__ import annotations

import re

TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
CODE = re.compile(r'(?<=<span class="pre">)[^<]+(?=</span>)')
JOINT = re.compile(r"(?<=[^\W_])[.,/=(_]+(?=[^\W_])")
"""What stands between the words of a name, an option or a path; what begins with a dot or an underscore stays whole."""


def allow_breaks(app: object, page: str, template: str, context: dict[str, object], doctree: object) -> None:
    """Where the code in a page's tables may break: what is copied stays as it is."""
    if isinstance(context.get("body"), str):
        context["body"] = with_breaks(str(context["body"]))


def with_breaks(body: str) -> str:
    """A page whose names in tables may break behind each of their words."""
    return TABLE.sub(lambda table: CODE.sub(lambda code: broken(code[0]), table[0]), body)


def broken(code: str) -> str:
    """``np.linalg.<wbr>inv``: a place to break behind each joint; characters that HTML writes as names stay whole."""
    return re.sub(r"&\w+;|&#\w+;|" + JOINT.pattern, lambda m: m[0] if m[0][0] == "&" else m[0] + "<wbr>", code)

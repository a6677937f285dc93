"""The programs are run, not imported: nothing in them is looked for."""

collect_ignore_glob = ["v*.py"]

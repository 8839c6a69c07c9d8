"""Reads reports back with readers of JUnit that are not linkspec's own.

usage: junit-check.py SCHEMA GOLDEN... -- FOLDER...
GOLDEN are reports that have to fit the schema; each FOLDER has the junit.xml and run.json of one run.
SCHEMA is the Jenkins schema, or `-` to leave that out.
"""

import json
import sys
from pathlib import Path

import junitparser
from lxml import etree

KINDS = {junitparser.Failure: "fail", junitparser.Error: "error", junitparser.Skipped: "skip"}



def outcome(case):
    """The one result of a case, told from its elements."""
    kinds = [KINDS[type(result)] for result in case.result if type(result) in KINDS]
    assert len(kinds) <= 1, f"{case.name} has the results {kinds}"
    return kinds[0] if kinds else "pass"


def counts(outcomes):
    return {kind: outcomes.count(kind) for kind in ("pass", "fail", "error", "skip")}


def read_back(folder):
    """The counts of a report, which are those of its header and of the record."""
    cases = json.loads((folder / "run.json").read_text())["cases"]
    recorded = [(case["name"].split("::", 1)[1], case["verdict"]["outcome"]) for case in cases]
    report = junitparser.JUnitXml.fromfile(str(folder / "junit.xml"))
    found = [(case.name, outcome(case)) for suite in report for case in suite]
    assert found == recorded, f"{folder}: the report has\n{found}\nand the record\n{recorded}"
    seen = counts([kind for _, kind in found])
    for level in (report, *report):
        told = (level.tests, level.failures, level.errors)
        assert told == (len(found), seen["fail"], seen["error"]), f"{folder}: {level} tells {told}"
    for suite in report:
        assert suite.skipped == seen["skip"], f"{folder}: {suite} tells {suite.skipped} skipped"
    return seen


def against_schema(schema, path):
    """What the schema of Jenkins has against a report."""
    schema.validate(etree.parse(str(path)))
    return [f"{path}:{error.line}: {error.message}" for error in schema.error_log]


def main(schema_path, *arguments):
    schema = None if schema_path == "-" else etree.XMLSchema(etree.parse(schema_path))
    split = arguments.index("--")
    reports, folders = list(map(Path, arguments[:split])), list(map(Path, arguments[split + 1 :]))
    for folder in folders:
        seen = read_back(folder)
        print(f"{folder}: {', '.join(f'{number} {kind}' for kind, number in seen.items())}")
    if schema is None:
        return
    reports += [folder / "junit.xml" for folder in folders]
    wrong = [line for report in reports for line in against_schema(schema, report)]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(reports)} reports fit the schema of Jenkins")


main(*sys.argv[1:])

"""The share of real tools that are flagged, and which: `python docs/measurements/flag_tools.py DIR...`."""

import gzip
import sys
from pathlib import Path

from recollect.gateway.catalogue_file import parse_catalogue
from recollect.gateway.neutral_tool import neutral_tool

for folder in map(Path, sys.argv[1:]):
    text = gzip.decompress((folder / "tools.jsonl.gz").read_bytes()).decode()
    tools = parse_catalogue(text, str(folder))
    results = [neutral_tool(tool) for tool in tools]
    flagged = [result for result in results if result.flags]
    print(
        f"{folder.name}: {len(flagged)} of {len(tools)} tools flagged ({len(flagged) / len(tools):.2%})"
    )
    for result in flagged:
        for flag in result.flags:
            print(f"  {result.tool.id} | {flag.where} | {flag.reason} | {flag.excerpt[:60]}")

"""Reads llms.txt by the reference parser: every link must be an address that answers."""

import os
import urllib.request

from llms_txt import parse_llms_file

BASE_URL = os.environ["BASE_URL"]


def fetch(url: str) -> str:
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode()


parsed = parse_llms_file(fetch(f"{BASE_URL}/llms.txt"))
assert parsed.title == "Bourse" and parsed.summary, parsed
links = [link for section in parsed.sections.values() for link in section]
for link in links:
    assert link.title and link.desc, link
    assert link.url.startswith(f"{BASE_URL}/") and not set(link.url) & set("<> )"), link.url
    assert fetch(link.url), link.url
print(f"{len(links)} links in {len(parsed.sections)} sections, all of them answered")

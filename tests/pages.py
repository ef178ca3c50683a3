"""Tables of HTML pages, as tests read them."""

import re
from html import unescape


def rows_of(text, caption):
    """The cells of a table: what is shown, and the number by which it sorts."""
    found = re.search(rf"<caption>{re.escape(caption)}</caption>.*?<tbody>(.*?)</tbody>", text, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", found[1])
    return [
        [
            (unescape(shown), value)
            for value, shown in re.findall(r"<t[hd][^>]*?(?:data-value=\"(.*?)\")?>(.*?)</t", row)
        ]
        for row in rows
    ]

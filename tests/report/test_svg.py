from xml.etree import ElementTree

from markupsafe import Markup

from infoprop.report._svg import element, shortened


def test_words_and_attributes_are_escaped():
    drawn = element("text", '<b>"&', element("title", "a<b"), class_='x" onload="evil', text_anchor="end")
    parsed = ElementTree.fromstring(drawn)
    assert parsed.text == '<b>"&'
    assert parsed.attrib == {"class": 'x" onload="evil', "text-anchor": "end"}
    assert parsed[0].text == "a<b"


def test_numbers_are_short():
    assert element("rect", x=1.0, y=2.3456, width=3) == Markup('<rect x="1" y="2.35" width="3"/>')


def test_long_names_are_cut():
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "ab…"

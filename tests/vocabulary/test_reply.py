"""Replies: whatever a component says is kept, and they survive being copied and saved."""

import copy
import pickle

import pytest

from windtunnel.vocabulary import Kill, Reply
from windtunnel.vocabulary.reply import new_reply


class Explained(Reply):
    """A user's own, which says more."""

    reason = ""


def test_fields_are_given_in_order_or_by_name():
    assert Reply(1.0, []) == Reply(now=1.0, decisions=[]) == new_reply(1.0, [])
    assert (Reply("later", 5).now, Reply("later", 5).decisions) == ("later", 5)
    with pytest.raises(TypeError):
        Reply(1.0)
    with pytest.raises(TypeError):
        Reply(1.0, [], colour="red")


def test_replies_that_say_the_same_are_equal_and_have_no_hash():
    assert Reply(1.0, [Kill("a")]) == Reply(1.0, [Kill("a")])
    assert Reply(1.0, [Kill("a")]) != Reply(1.0, [Kill("b")])
    assert Reply(1.0, []) != Reply(2.0, [])
    assert Reply(1.0, []) != (1.0, [])
    assert Explained(1.0, []) != Reply(1.0, [])
    with pytest.raises(TypeError):
        hash(Reply(1.0, []))


def test_its_text_and_its_pattern_name_the_fields():
    assert repr(Reply(1.0, [])) == "Reply(now=1.0, decisions=[])"
    match Reply(1.0, [2]):
        case Reply(now, [decision]):
            assert (now, decision) == (1.0, 2)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda reply: pickle.loads(pickle.dumps(reply))])
def test_a_copy_says_the_same_and_is_another(again):
    reply = Explained(1.0, [Kill("a")])
    reply.reason = "why not"
    other = again(reply)
    assert other == reply
    assert other.reason == "why not"
    assert again(Reply(2.0, [])) == Reply(2.0, [])
    other.now = 2.0
    assert reply.now == 1.0

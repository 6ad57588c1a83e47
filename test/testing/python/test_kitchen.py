"""Tests as the author of the bot in kitchen_bot.py writes them."""

import json

import pytest
from causeway_testing import SandboxError, sandbox
from kitchen_bot import KitchenBot


@pytest.fixture(scope="module")
def running():
    seed = {
        "people": ["ada", "grace", "bob"],
        "guilds": [{"name": "Kitchen", "channels": ["kitchen", "office"]}],
        "applications": [{"name": "Lunch bot", "permissions": ["ModerateMembers"]}],
    }
    with sandbox(seed) as world, world.bot.run(KitchenBot()):
        yield world


@pytest.fixture
def world(running):
    running.reset()
    return running


def test_answers_a_command_with_a_button_that_others_can_use(world):
    answer = world.person("ada").in_channel("kitchen").slash("lunch", dish="Onion tart")
    assert answer.content == "Onion tart: ada"
    assert answer.button("Me too").clicked_by("grace").content == "Onion tart: ada, grace"


def test_runs_the_user_command_that_has_the_name_of_a_slash_command(world):
    kitchen = world.person("ada").in_channel("kitchen")
    assert kitchen.context_menu("lunch", "grace", application="Lunch bot").content == "Lunch, grace?"
    choices = kitchen.autocomplete("lunch", "dish", application="Lunch bot", options={"dish": "om"}).choices
    assert [choice["name"] for choice in choices] == ["Omelette"]


def test_takes_an_order_with_a_modal(world):
    form = world.person("ada").slash("order")
    assert form.modal["title"] == "Order"
    assert form.submit({"Dish": "Soup"}).content == "Ordered: Soup"


def test_keeps_a_secret_to_the_person_who_asked(world):
    assert world.person("ada").in_channel("kitchen").slash("secret").is_ephemeral
    world.person("grace").in_channel("kitchen").expect_silence(0.03)


def test_completes_a_deferred_answer(world):
    assert world.person("ada").slash("bake").content == "Baked."


def test_offers_the_dishes_that_match(world):
    choices = world.person("ada").autocomplete("lunch", "dish", dish="om").choices
    assert [choice["name"] for choice in choices] == ["Omelette"]


def test_times_a_member_out(world):
    assert world.person("ada").slash("mute", member="bob").content == "bob is quiet."
    with pytest.raises(SandboxError, match="bob is timed out until"):
        world.person("bob").in_channel("kitchen").send("hello")
    world.guild.time_out("bob", None)
    world.person("bob").in_channel("kitchen").send("hello")


def test_replies_to_a_message(world):
    kitchen = world.person("ada").in_channel("kitchen")
    kitchen.send("ping")
    assert kitchen.next_message().content == "pong"


def test_survives_an_error_of_the_platform(world):
    fault = world.add_fault(route="POST /channels/:id/messages", nth=1, effect={"type": "status", "status": 502})
    kitchen = world.person("ada").in_channel("kitchen")
    kitchen.send("ping")
    assert kitchen.next_message(within=8).content == "pong"
    assert fault.applied == 1


def test_waits_for_the_rate_limits_of_a_preset(world):
    limits = world.add_preset("rateLimited")
    kitchen = world.person("ada").in_channel("kitchen")
    for _ in range(3):
        kitchen.send("ping")
        assert kitchen.next_message().content == "pong"
    assert limits.applied == 1
    limits.remove()
    assert "→ 429" in world.transcript("text")
    assert json.loads(world.transcript("jsonl").splitlines()[-1])["kind"] == world.transcript()[-1]["kind"]

"""Tests of bots in Python, in a sandbox of Causeway. It needs only the standard library, and discord.py for `Bot.run`.

Run the tests inside a sandbox, which sets the address and the path of this module:

    npx --no causeway sandbox -- python3 -m pytest

A test makes a world, starts the bot and acts as its people:

    from causeway_testing import sandbox

    world = sandbox({"guilds": [{"name": "Kitchen", "channels": ["kitchen"]}]})
    with world.bot.run(my_client):
        answer = world.person("ada").slash("lunch", dish="Onion tart")
        assert answer.content == "Onion tart: ada"

Messages and answers are in Discord's format (`raw`). Ids are strings. Times are in seconds, of real time.
"""

import asyncio
import base64
import contextlib
import json
import os
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

__all__ = ["SandboxError", "World", "sandbox"]

#: How long a bot may take to answer, unless a call says otherwise.
WITHIN = 4.0

EPHEMERAL = 1 << 6


class SandboxError(Exception):
    """The sandbox refused a request, or the bot did not do in time what the test waits for."""

    def __init__(self, message, code, status, fields):
        super().__init__(message)
        self.code = code
        self.status = status
        self.fields = fields


class Control:
    """Sends requests to the control API."""

    def __init__(self, url, token):
        self.url = url
        self.token = token
        # The sandbox is on this machine, where no proxy is wanted.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def request(self, method, path, body=None, query=None):
        known = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self.url}{path}?{urllib.parse.urlencode(known)}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method=method)
        request.add_header("authorization", f"Bearer {self.token}")
        request.add_header("content-type", "application/json")
        try:
            with self._opener.open(request) as response:
                text = response.read().decode()
                is_json = response.headers.get_content_type() == "application/json"
                return (json.loads(text) if is_json else text) if text else None
        except urllib.error.HTTPError as error:
            raise _refusal(error.code, error.read()) from None


def _refusal(status, text):
    try:
        error = json.loads(text)
        message = "\n\n".join(filter(None, [error["message"], error.get("transcript")]))
        return SandboxError(message, error["code"], status, error.get("fields", []))
    except (ValueError, KeyError):
        return SandboxError(f"The sandbox answered {status}: {text[:200]!r}", "INVALID_RESPONSE", status, [])


def sandbox(seed=None, url=None, token=None):
    """Makes a world. Without `url` and `token`, it uses the sandbox around this program.

    :param seed: the content of the world; without it, two people, a server and a bot
    :raises SandboxError: for an invalid seed
    """
    url = url or os.environ.get("CAUSEWAY_SANDBOX_URL")
    token = token or os.environ.get("CAUSEWAY_SANDBOX_TOKEN")
    if not url or not token:
        raise RuntimeError("Run the tests inside a sandbox: npx --no causeway sandbox -- python3 -m pytest")
    control = Control(url, token)
    return World(control, control.request("POST", "/worlds", seed or {}))


class World:
    """People, servers and bots that one test or module uses alone. Names are those of the seed; ids work as well."""

    def __init__(self, control, description):
        self._control = control
        self._seen = {}
        self.id = description["id"]
        self.api = description["api"]
        self.gateway = description["gateway"]
        self.guilds = [Guild(self, guild) for guild in description["guilds"]]
        self.applications = [Bot(self, application) for application in description["applications"]]
        self._people = {person["name"]: Person(self, **person) for person in description["people"]}

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.dispose()

    @property
    def bot(self):
        """The bot of the first application."""
        return self.application()

    @property
    def guild(self):
        """The first server."""
        return self.guilds[0]

    def application(self, name=None):
        return _named("application", self.applications, name)

    def person(self, name):
        return _named("person", list(self._people.values()), name)

    def channel(self, name):
        """A channel, as the owner of its server sees it."""
        return Channel(self, name, self.guild.owner)

    def add_person(self, name):
        """Adds a person, who is in no server."""
        person = Person(self, **self.request("POST", "/people", {"name": name}))
        self._people[name] = person
        return person

    def add_fault(self, **rule):
        """Adds a rule that disturbs what the platform exchanges with bots, such as
        `add_fault(route="POST /channels/:id/messages", effect={"type": "status", "status": 500})`."""
        return Fault(self, [self.request("POST", "/faults", _without_none(rule, {"from_": "from"}))["id"]])

    def add_preset(self, preset, application=None, seed=None, seconds=None):
        """Adds the rules of a preset: flakyNetwork, rateLimited, rollingRestart or outage. They count and end together.

        :param seconds: ends the rules after this time
        """
        for_ms = None if seconds is None else _ms(seconds)
        body = {"preset": preset, "application": application, "seed": seed, "forMs": for_ms}
        return Fault(self, [rule["id"] for rule in self.request("POST", "/fault-presets", _without_none(body))])

    def transcript(self, format="json"):
        """The actions of people, bots and the platform so far, in order.

        :param format: `json` for a list; `jsonl`; or `text`, which ends with the calls to routes that do not exist
        """
        return self.request("GET", "/transcript", query={"format": format})

    def reset(self):
        """Returns to the seed, with the same ids. Bots stay connected, and their commands stay registered."""
        self.request("POST", "/reset")
        self._seen.clear()

    def dispose(self):
        """Removes everything in the world, and ends the sessions of its bots."""
        self.request("DELETE", "")

    def request(self, method, path, body=None, query=None):
        return self._control.request(method, f"/worlds/{self.id}{path}", body, query)

    def seen_in(self, channel):
        return self._seen.get(self._channel_id(channel), "0")

    def note_seen(self, message):
        channel = message["channel_id"]
        if int(message["id"]) > int(self._seen.get(channel, "0")):
            self._seen[channel] = message["id"]

    def _channel_id(self, name):
        channels = [channel for guild in self.guilds for channel in guild.channels]
        return next((channel["id"] for channel in channels if name in (channel["name"], channel["id"])), name)


class Bot:
    """An application of the world, with its bot."""

    def __init__(self, world, description):
        self._world = world
        self.id = description["id"]
        self.name = description["name"]
        self.token = description["token"]
        self.client_secret = description["clientSecret"]
        self.public_key = description["publicKey"]

    def ready(self, within=WITHIN):
        """Waits until the bot has a gateway session."""
        self._wait("connected", within)

    def disconnected(self, within=WITHIN):
        """Waits until the bot has no gateway session."""
        self._wait("disconnected", within)

    def disturb(self, **fault):
        """Closes its connections (`type="close", code=4000`), or sends `reconnect` or `invalidSession`, now."""
        self._world.request("POST", f"/applications/{self.id}/disturbances", fault)

    @contextlib.contextmanager
    def run(self, client, within=10.0):
        """Runs a client of discord.py in a thread of its own, connected to the world, until the block ends."""
        connect(self._world.api)
        loop = asyncio.new_event_loop()
        failure = []

        def work():
            asyncio.set_event_loop(loop)
            try:
                loop.run_until_complete(client.start(self.token))
                # The client stops before its close has ended.
                loop.run_until_complete(asyncio.gather(*asyncio.all_tasks(loop)))
            except Exception as error:  # The block reports it.
                failure.append(error)

        thread = threading.Thread(target=work, name=f"bot {self.name}", daemon=True)
        thread.start()
        try:
            _wait_until_ready(client, thread, failure, within)
            yield client
        finally:
            if thread.is_alive():
                asyncio.run_coroutine_threadsafe(client.close(), loop)
            thread.join(within)
            loop.close()

    def _wait(self, state, within):
        self._world.request("GET", f"/applications/{self.id}/{state}", query={"withinMs": _ms(within)})


def connect(api):
    """Sets the addresses of discord.py. :param api: such as http://localhost:4000/api"""
    import discord
    import yarl

    address = yarl.URL(api)
    discord.http.Route.BASE = f"{api}/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = address.origin().with_scheme("ws") / "gateway"


def _wait_until_ready(client, thread, failure, within):
    until = time.monotonic() + within
    while not client.is_ready():
        if failure:
            raise failure[0]
        if not thread.is_alive() or time.monotonic() > until:
            raise TimeoutError(f"The client was not ready within {within} s.")
        time.sleep(0.01)


class Guild:
    """A server. Its methods change it without the checks of a person's permissions."""

    def __init__(self, world, description):
        self._world = world
        self.id = description["id"]
        self.name = description["name"]
        self.owner = description["owner"]
        self.channels = description["channels"]
        self.roles = description["roles"]
        self.is_on_box = description["isOnBox"]

    def create_channel(self, name, **settings):
        return self._request("POST", "/channels", {"name": name, **settings})

    def create_role(self, name, **settings):
        return self._request("POST", "/roles", {"name": name, **settings})

    def add_member(self, person):
        self._request("PUT", f"/members/{_quoted(person)}")

    def remove_member(self, person):
        self._request("DELETE", f"/members/{_quoted(person)}")

    def add_role(self, person, role):
        self._request("PUT", f"/members/{_quoted(person)}/roles/{_quoted(role)}")

    def remove_role(self, person, role):
        self._request("DELETE", f"/members/{_quoted(person)}/roles/{_quoted(role)}")

    def time_out(self, person, until):
        """:param until: a datetime with a time zone; None ends the timeout"""
        self._request("PATCH", f"/members/{_quoted(person)}", {"timeoutUntil": until and until.isoformat()})

    def _request(self, method, path, body=None):
        return self._world.request(method, f"/guilds/{self.id}{path}", body)


class Channel:
    """A channel, as one person sees it."""

    def __init__(self, world, name, person):
        self._world = world
        self._person = person
        self.name = name

    def next_message(self, sender="bots", matching=None, within=WITHIN):
        """Waits for the next message that the test has not seen yet.

        :param sender: `bots`, `anyone`, or a name
        :param matching: a function of the message in Discord's format; other messages are skipped
        """
        until = time.monotonic() + within
        while True:
            query = {
                "channel": self.name,
                "from": sender,
                "after": self._world.seen_in(self.name),
                "withinMs": _ms(max(0.0, until - time.monotonic())),
            }
            message = self._world.request("GET", f"/people/{self._person}/next-message", query=query)
            self._world.note_seen(message)
            if matching is None or matching(message):
                return Message(self._world, message, self._person)

    def expect_silence(self, seconds, sender="bots"):
        """Fails if somebody sends a message within this time."""
        try:
            message = self.next_message(sender, within=seconds)
        except SandboxError as error:
            if error.code == "NO_MESSAGE":
                return
            raise
        raise AssertionError(f"Expected no message in {self.name}, but {message.author} sent: {message.content}")


class PersonInChannel(Channel):
    """A person in a channel."""

    def send(self, content=None, reply_to=None, files=()):
        body = {"channel": self.name, "content": content, "replyTo": _id(reply_to), "files": _files(files)}
        message = self._request("POST", "/messages", _without_none(body))
        self._world.note_seen(message)
        return Message(self._world, message, self._person)

    def edit(self, message, content):
        body = {"channel": self.name, "message": _id(message), "content": content}
        return Message(self._world, self._request("PATCH", "/messages", body), self._person)

    def delete(self, message):
        self._request("DELETE", "/messages", {"channel": self.name, "message": _id(message)})

    def react(self, message, emoji):
        self._request("PUT", "/reactions", {"channel": self.name, "message": _id(message), "emoji": emoji})

    def unreact(self, message, emoji):
        self._request("DELETE", "/reactions", {"channel": self.name, "message": _id(message), "emoji": emoji})

    def slash(self, command, /, *, application=None, target=None, files=(), within=WITHIN, options=None, **more):
        """Runs a command and waits for the bot's answer. Options are keyword arguments; users, channels and roles by
        name or id. `options` takes those whose names Python or this method uses otherwise. `application` is needed if
        several applications have the command."""
        body = {
            "channel": self.name,
            "command": command,
            "application": application,
            "target": _id(target),
            "options": {name: _id(value) for name, value in {**(options or {}), **more}.items()},
            "files": _files(files),
        }
        return self._answer("/commands", body, within)

    def context_menu(self, command, target, within=WITHIN, application=None):
        """Runs a user command on a person, or a message command on a message."""
        return self.slash(command, target=target, within=within, application=application)

    def autocomplete(self, command, focused, /, *, application=None, within=WITHIN, options=None, **more):
        """Asks for the choices of the option `focused`, whose text so far is in the options, as in `slash`."""
        body = {
            "channel": self.name,
            "command": command,
            "application": application,
            "focused": focused,
            "options": {name: _id(value) for name, value in {focused: "", **(options or {}), **more}.items()},
        }
        return self._answer("/autocompletions", body, within)

    def _answer(self, path, body, within):
        description = self._request("POST", path, _without_none(body), {"withinMs": _ms(within)})
        return _answer(self._world, self._person, description)

    def _request(self, method, path, body, query=None):
        return self._world.request(method, f"/people/{self._person}{path}", body, query)


class Person:
    """A person of the world. They can do what the platform allows them; a refusal names the reason."""

    def __init__(self, world, id, name):
        self._world = world
        self.id = id
        self.name = name

    def in_channel(self, channel):
        return PersonInChannel(self._world, channel, self.id)

    def in_direct_messages_with(self, name):
        """In the direct channel with a bot or a person."""
        return self.in_channel(self._request("POST", "/direct-channels", {"with": name})["id"])

    def send(self, *args, **kwargs):
        return self._here.send(*args, **kwargs)

    def slash(self, *args, **kwargs):
        return self._here.slash(*args, **kwargs)

    def autocomplete(self, *args, **kwargs):
        return self._here.autocomplete(*args, **kwargs)

    def create_invite(self, channel):
        return self._request("POST", "/invites", {"channel": channel})["code"]

    def join(self, code):
        self._request("POST", "/joins", {"code": code})

    def leave(self, server=None):
        self._request("POST", "/leaves", _without_none({"guild": server}))

    def join_voice(self, channel):
        self._request("PUT", "/voice", {"channel": channel})

    def leave_voice(self):
        self._request("PUT", "/voice", {"channel": None})

    def sign_in(self):
        """Signs the person in, for requests to /graphql, the REST API or the portal."""
        return self._request("POST", "/sessions")

    @property
    def _here(self):
        channel = next(channel for channel in self._world.guild.channels if channel["type"] == 0)
        return self.in_channel(channel["id"])

    def _request(self, method, path, body=None):
        return self._world.request(method, f"/people/{self.id}{path}", body)


class Message:
    """A message, as a person sees it. `raw` is in Discord's format."""

    def __init__(self, world, raw, person):
        self._world = world
        self._person = person
        self.raw = raw
        self.id = raw["id"]
        self.content = raw["content"]
        self.author = raw["author"]["username"]
        self.embeds = raw["embeds"]
        self.is_ephemeral = (raw.get("flags", 0) & EPHEMERAL) != 0

    def button(self, name):
        """:param name: the label or the custom id"""
        return Component(self._world, self.raw, name, self._person)

    def select(self, name):
        """:param name: the placeholder or the custom id"""
        return Component(self._world, self.raw, name, self._person)

    def next_edit(self, within=WITHIN):
        """Waits until the message was edited."""
        query = {
            "channel": self.raw["channel_id"],
            "message": self.id,
            "since": self.raw.get("edited_timestamp"),
            "withinMs": _ms(within),
        }
        raw = self._world.request("GET", f"/people/{self._person}/next-edit", query=query)
        return Message(self._world, raw, self._person)


class Component:
    """A button or a select of a message."""

    def __init__(self, world, message, name, person):
        self._world = world
        self._message = message
        self._name = name
        self._person = person

    def click(self, within=WITHIN):
        """Clicks a button, as the person who sees the message."""
        return self._use(self._person, None, within)

    def clicked_by(self, person, within=WITHIN):
        return self._use(self._world.person(person).id, None, within)

    def choose(self, *values, within=WITHIN):
        """Chooses in a select: values, labels, or names of people, roles and channels."""
        return self._use(self._person, values, within)

    def chosen_by(self, person, *values, within=WITHIN):
        return self._use(self._world.person(person).id, values, within)

    def _use(self, person, values, within):
        body = {"channel": self._message["channel_id"], "message": self._message["id"], "component": self._name}
        if values is not None:
            body["values"] = list(values)
        description = self._world.request("POST", f"/people/{person}/components", body, {"withinMs": _ms(within)})
        return _answer(self._world, person, description)


class Answer:
    """A bot's answer to a command, a component or a modal."""

    def __init__(self, world, person, description):
        self._world = world
        self._person = person
        self._description = description

    @property
    def message(self):
        message = self._description["message"]
        if message is None:
            raise AssertionError("The bot answered without a message.")
        return Message(self._world, message, self._person)

    @property
    def content(self):
        return self.message.content

    @property
    def embeds(self):
        return self.message.embeds

    @property
    def is_ephemeral(self):
        return self.message.is_ephemeral

    @property
    def modal(self):
        """The modal in Discord's format."""
        modal = self._description["modal"]
        if modal is None:
            raise AssertionError("The bot did not answer with a modal.")
        return modal

    @property
    def choices(self):
        return self._description["choices"] or []

    def button(self, name):
        return self.message.button(name)

    def select(self, name):
        return self.message.select(name)

    def next_edit(self, within=WITHIN):
        return self.message.next_edit(within)

    def submit(self, values, within=WITHIN):
        """Fills in the modal. :param values: by label or custom id: text, or a list for a select"""
        body = {"interaction": self._description["interaction"]["id"], "values": values}
        description = self._world.request("POST", f"/people/{self._person}/modals", body, {"withinMs": _ms(within)})
        return _answer(self._world, self._person, description)


class Fault:
    """A rule that disturbs, or the rules of a preset."""

    def __init__(self, world, ids):
        self._world = world
        self._ids = ids

    @property
    def applied(self):
        """How often the rules took effect."""
        faults = self._world.request("GET", "/faults")
        return sum(fault["applied"] for fault in faults if fault["id"] in self._ids)

    def remove(self):
        for id in self._ids:
            self._world.request("DELETE", f"/faults/{id}")


def _answer(world, person, description):
    if description["message"] is not None:
        world.note_seen(description["message"])
    return Answer(world, person, description)


def _named(what, things, name):
    found = things[0] if name is None else next((thing for thing in things if name in (thing.name, thing.id)), None)
    if found is None:
        raise KeyError(f'The world has no {what} "{name}". It has: {", ".join(thing.name for thing in things)}.')
    return found


def _id(thing):
    return getattr(thing, "id", thing)


def _ms(seconds):
    return round(seconds * 1000)


def _quoted(text):
    return urllib.parse.quote(text, safe="")


def _without_none(body, names=None):
    return {(names or {}).get(name, name): value for name, value in body.items() if value is not None}


def _files(files):
    """:param files: pairs of a name and bytes or text"""
    encoded = [(name, content.encode() if isinstance(content, str) else content) for name, content in files]
    return [{"name": name, "content": base64.b64encode(content).decode()} for name, content in encoded]

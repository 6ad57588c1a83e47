# Posts through a webhook without a bot and without an event loop, with stock discord.py.
import io
import os

import discord

discord.http.Route.BASE = f"{os.environ['API_URL']}/v10"

webhook = discord.SyncWebhook.partial(int(os.environ["WEBHOOK_ID"]), os.environ["WEBHOOK_TOKEN"])
log = discord.File(io.BytesIO(b"all green"), filename="log.txt")
sent = webhook.send("building", wait=True, embed=discord.Embed(title="Build 7"), file=log)
assert sent.content == "building" and sent.attachments[0].filename == "log.txt"
edited = webhook.edit_message(sent.id, content="built", attachments=[])
assert edited.content == "built" and edited.attachments == []
assert webhook.fetch_message(sent.id).content == "built"
webhook.delete_message(sent.id)
fetched = webhook.fetch()
assert fetched.name == "Builds"
assert fetched.edit(name="Deploys").name == "Deploys"
fetched.delete()
try:
    webhook.send("hello?")
    raise AssertionError("that was not refused")
except discord.NotFound as error:
    assert error.code == 10015
print("posted", flush=True)

# Posts through a webhook without a bot, with stock discord.py.
import asyncio
import io
import os

import aiohttp
import discord

discord.http.Route.BASE = f"{os.environ['API_URL']}/v10"


def text(name, content):
    return discord.File(io.BytesIO(content.encode()), filename=name)


async def refused(request):
    try:
        await request
    except discord.HTTPException as error:
        return error.status, error.code
    raise AssertionError("that was not refused")


async def post(session):
    webhook_id, token = int(os.environ["WEBHOOK_ID"]), os.environ["WEBHOOK_TOKEN"]
    webhook = discord.Webhook.partial(webhook_id, token, session=session)
    embed = discord.Embed(title="Build 7", colour=discord.Colour.green())
    embed.add_field(name="Tests", value="412").set_image(url="attachment://chart.png")
    sent = await webhook.send(
        "building", wait=True, username="Somebody", embed=embed, files=[text("a.txt", "one"), text("chart.png", "two")]
    )
    assert sent.content == "building" and sent.webhook_id == webhook_id and sent.author.bot
    assert sent.embeds[0].fields[0].value == "412" and "/chart.png" in sent.embeds[0].image.url

    kept = discord.utils.get(sent.attachments, filename="a.txt")
    edited = await webhook.edit_message(sent.id, content="built", embeds=[], attachments=[kept, text("b.txt", "three")])
    assert edited.content == "built" and [one.filename for one in edited.attachments] == ["a.txt", "b.txt"]
    async with session.get(edited.attachments[1].url) as answer:
        assert await answer.read() == b"three"
    assert (await webhook.fetch_message(sent.id)).content == "built"
    await webhook.send("nobody waits for this")
    await webhook.delete_message(sent.id)
    assert await refused(webhook.fetch_message(sent.id)) == (404, 10008)

    fetched = await webhook.fetch()
    assert fetched.name == "Builds" and fetched.token == token
    again = await fetched.send("fetched", wait=True)
    await (await again.edit(content="fetched and edited")).delete()
    renamed = await fetched.edit(name="Deploys")
    assert renamed.name == "Deploys" and renamed.token == token

    wrong = discord.Webhook.partial(webhook_id, "WH." + "a" * 8 + "." + "b" * 56, session=session)
    assert await refused(wrong.send("hello?")) == (401, 50027)
    await renamed.delete()
    assert await refused(webhook.send("hello?")) == (404, 10015)


async def main():
    async with aiohttp.ClientSession() as session:
        await post(session)
    print("posted", flush=True)


asyncio.run(main())

# A stock discord.py bot that makes a webhook and posts through it.
import os

import discord
import yarl

discord.http.Route.BASE = f"{os.environ['API_URL']}/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["API_URL"].replace("http", "ws").removesuffix("/api") + "/gateway")

client = discord.Client(intents=discord.Intents.default())


async def post():
    channel = client.get_channel(int(os.environ["CHANNEL_ID"]))
    updated = client.loop.create_task(client.wait_for("webhooks_update"))
    webhook = await channel.create_webhook(name="Builds", reason="for builds")
    assert (await updated).id == channel.id
    assert webhook.channel == channel and webhook.user.id == client.user.id and webhook.token
    assert webhook.id in [one.id for one in await channel.guild.webhooks()]
    assert webhook.id in [one.id for one in await channel.webhooks()]

    sent = await webhook.send("building", wait=True)
    assert sent.channel == channel and sent.webhook_id == webhook.id
    assert (await sent.edit(content="built")).content == "built"
    await sent.delete()

    other = await channel.guild.create_text_channel("deploys")
    moved = await webhook.edit(name="Deploys", channel=other)
    assert moved.name == "Deploys" and moved.channel == other
    there = await webhook.send("there", wait=True)
    assert (await other.fetch_message(there.id)).webhook_id == webhook.id
    assert (await client.fetch_webhook(webhook.id)).name == "Deploys"
    await webhook.delete(reason="no longer needed")
    assert await other.webhooks() == []

    # A webhook that a user made, accessed with the permissions of the bot.
    given = await client.fetch_webhook(int(os.environ["WEBHOOK_ID"]))
    await given.delete()


@client.event
async def on_ready():
    try:
        await post()
        print("posted", flush=True)
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(1)


client.run(os.environ["BOT_TOKEN"])

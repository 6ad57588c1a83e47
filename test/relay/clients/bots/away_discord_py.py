# A stock discord.py bot that prints the events of a server that goes away and comes back, and the cached server afterwards.
import json
import os

import discord
import yarl

discord.http.Route.BASE = f"{os.environ['API_URL']}/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["API_URL"].replace("http", "ws").removesuffix("/api") + "/gateway")

client = discord.Client(intents=discord.Intents.all())
channel = client.get_partial_messageable(int(os.environ["CHANNEL_ID"]))


def tell(*words):
    print(*words, flush=True)


def ids(things):
    return sorted(str(thing.id) for thing in things)


def cached(guild):
    if guild.unavailable:
        return json.dumps(None)
    return json.dumps(
        {"name": guild.name, "channels": ids(guild.channels), "roles": ids(guild.roles), "members": ids(guild.members)}
    )


@client.event
async def on_ready():
    tell("online")
    tell("cached", cached(client.get_guild(int(os.environ["GUILD_ID"]))))


@client.event
async def on_guild_unavailable(guild):
    tell("unavailable", guild.id)
    try:
        await channel.send("nobody hears this")
    except discord.DiscordServerError as error:
        tell("refused", error.status)


@client.event
async def on_guild_available(guild):
    tell("available", cached(guild))


@client.event
async def on_message(message):
    tell("message", message.content)
    if message.content == "welcome back":
        await message.reply("after")


client.run(os.environ["BOT_TOKEN"])

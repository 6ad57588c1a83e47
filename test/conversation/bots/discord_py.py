# The hello bot with stock discord.py.
import os

import discord
import yarl

discord.http.Route.BASE = f"{os.environ['API_URL']}/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["API_URL"].replace("http", "ws").removesuffix("/api") + "/gateway")

intents = discord.Intents.default()
intents.message_content = True
client = discord.Client(intents=intents)


@client.event
async def on_ready():
    print("online", flush=True)


@client.event
async def on_message(message):
    if message.author.bot:
        return
    await message.add_reaction("👋")
    await message.reply(f"Hello, {message.author.name}!")


client.run(os.environ["BOT_TOKEN"])

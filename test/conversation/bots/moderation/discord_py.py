# A stock discord.py bot that moderates a server.
import base64
import datetime
import os

import discord
import yarl

discord.http.Route.BASE = f"{os.environ['API_URL']}/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["API_URL"].replace("http", "ws").removesuffix("/api") + "/gateway")

client = discord.Client(intents=discord.Intents.all())


async def moderate():
    guild = client.get_guild(int(os.environ["GUILD_ID"]))
    member = await guild.fetch_member(int(os.environ["MEMBER_ID"]))
    await guild.edit(name="Moderated", description="by a bot")

    role = await guild.create_role(name="Crew", colour=discord.Colour(0x112233), hoist=True, reason="a reason: ä")
    await role.edit(name="Sailors", mentionable=True)
    await member.add_roles(role)
    await member.edit(nick="Captain")
    await member.timeout(datetime.timedelta(minutes=1))
    again = await guild.fetch_member(member.id)
    assert again.nick == "Captain" and again.is_timed_out() and role in again.roles
    await member.timeout(None)
    await member.remove_roles(role)

    # The role lists of discord.py begin with @everyone.
    await member.edit(roles=again.roles)
    again = await guild.fetch_member(member.id)
    assert role in again.roles
    await again.remove_roles(role, atomic=False)
    me = await guild.fetch_member(client.user.id)
    await me.edit(roles=me.roles)

    category = await guild.create_category("Rooms")
    channel = await guild.create_text_channel("bridge", category=category, topic="the sea")
    await channel.edit(topic="the sky", slowmode_delay=5)
    await channel.set_permissions(role, send_messages=False)
    await channel.set_permissions(role, overwrite=None)
    await channel.move(beginning=True)
    assert (await client.fetch_channel(channel.id)).topic == "the sky"

    messages = [await channel.send(text) for text in ("one", "two", "three")]
    await messages[0].pin()
    assert [message.id for message in await channel.pins()] == [messages[0].id]
    await messages[0].unpin()
    emoji = await guild.create_custom_emoji(name="anchor", image=base64.b64decode(os.environ["PICTURE"]))
    await messages[0].add_reaction(emoji)
    await messages[0].clear_reactions()
    await emoji.delete()
    await channel.delete_messages(messages[1:])

    invite = await channel.create_invite(max_age=60, max_uses=1)
    assert invite.code in [one.code for one in await guild.invites()]
    await invite.delete()

    await member.send("ahoy")

    await guild.ban(member, delete_message_seconds=60, reason="mutiny")
    assert (await guild.fetch_ban(member)).reason == "mutiny"
    await guild.unban(member)
    entries = [entry async for entry in guild.audit_logs(limit=5, action=discord.AuditLogAction.ban)]
    assert entries[0].reason == "mutiny" and entries[0].target.id == member.id
    await channel.delete()
    await category.delete()
    await role.delete()


@client.event
async def on_ready():
    print("online", flush=True)
    try:
        await moderate()
        print("moderated", flush=True)
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(1)


client.run(os.environ["BOT_TOKEN"])

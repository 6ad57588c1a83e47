# A stock discord.py bot that moderates a server with all that self-hosted servers support. It compares its caches with REST responses.
import asyncio
import datetime
import json
import os

import discord
import yarl

discord.http.Route.BASE = f"{os.environ['API_URL']}/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["API_URL"].replace("http", "ws").removesuffix("/api") + "/gateway")

GUILD_ID, CHANNEL_ID, CREW_CHANNEL_ID, VOICE_CHANNEL_ID, KEEPER_ID, KICKED_ID, BANNED_ID = (
    int(os.environ[name]) for name in ("GUILD_ID", "CHANNEL_ID", "CREW_CHANNEL_ID", "VOICE_CHANNEL_ID", "KEEPER_ID", "KICKED_ID", "BANNED_ID")
)

client = discord.Client(intents=discord.Intents.all(), chunk_guilds_at_startup=False)


async def heard(event, is_wanted, act):
    """Acts, and returns the response once the event came."""
    waiting = client.loop.create_task(client.wait_for(event, check=is_wanted, timeout=20))
    await asyncio.sleep(0)
    done = await act
    await waiting
    return done


def ids(things):
    return sorted(thing.id for thing in things)


def permissions_in(guild):
    compared = discord.Permissions(view_channel=True, send_messages=True, add_reactions=True, manage_messages=True).value

    def bits(channel, user_id):
        allowed = channel.permissions_for(guild.get_member(user_id))
        return str(allowed.value & compared if allowed.view_channel else 0)

    users = (KEEPER_ID, KICKED_ID, BANNED_ID, client.user.id)
    channels = (guild.get_channel(one) for one in (CHANNEL_ID, CREW_CHANNEL_ID))
    return {str(channel.id): {str(user_id): bits(channel, user_id) for user_id in users} for channel in channels}


async def check_caches(guild):
    assert (guild.unavailable, guild.name, guild.owner_id, guild.large) == (False, "Attic", KEEPER_ID, True)
    assert ids(guild.channels) == ids(await guild.fetch_channels())
    assert ids(guild.roles) == ids(await guild.fetch_roles())
    assert guild.me.id == client.user.id and guild.self_role.managed
    assert guild.member_count == 1104
    assert len(await guild.chunk()) == 1104 == len(guild.members) and guild.chunked
    found = await guild.query_members("crowd7", limit=5)
    assert len(found) == 5 and all(member.name.startswith("crowd7") for member in found)
    print("permissions " + json.dumps(permissions_in(guild)), flush=True)


async def talk(guild):
    asked = client.loop.create_task(client.wait_for("message", check=lambda message: message.author.id == KEEPER_ID))
    await asyncio.sleep(0)
    print("listening", flush=True)
    question = await asked
    assert (question.content, question.guild, question.channel.id) == ("who is there?", guild, CHANNEL_ID)
    await question.channel.typing()
    reacted = client.loop.create_task(client.wait_for("reaction_add"))
    answer = await question.reply("a bot")
    reaction, user = await reacted
    assert (reaction.message.id, user.id) == (answer.id, KICKED_ID)
    assert ids([user async for user in reaction.users()]) == [KICKED_ID]


async def shape(guild):
    """The server, its roles and its members."""
    await heard(
        "guild_update",
        lambda _before, after: after.name == "Moderated",
        guild.edit(name="Moderated", description="by a bot", reason="a reason: ä"),
    )
    assert (guild.name, guild.description) == ("Moderated", "by a bot")
    role = await guild.create_role(name="Crew", colour=discord.Colour(0x112233), hoist=True)
    lower = await guild.create_role(name="Guests", permissions=discord.Permissions(view_channel=True))
    await role.edit(name="Sailors", mentionable=True)
    await lower.edit(position=role.position)
    member = guild.get_member(BANNED_ID)
    await heard("member_update", lambda _before, after: role in after.roles, member.add_roles(role, reason="a reason"))
    await heard("member_update", lambda _before, after: after.nick == "Captain", member.edit(nick="Captain"))
    await member.timeout(datetime.timedelta(minutes=1))
    again = await guild.fetch_member(BANNED_ID)
    assert again.nick == "Captain" and again.is_timed_out() and role in again.roles
    await member.timeout(None)
    await heard("member_update", lambda _before, after: role not in after.roles, member.remove_roles(role))
    await guild.me.edit(nick="Keeper of lamps")
    return role, lower


async def write(guild):
    """Channels, messages, pins and reactions."""
    channel = await heard(
        "guild_channel_create", lambda made: made.name == "bridge", guild.create_text_channel("bridge", topic="the sea")
    )
    await heard(
        "guild_channel_update",
        lambda _before, after: after.topic == "the sky",
        channel.edit(topic="the sky", slowmode_delay=5),
    )
    await channel.move(beginning=True)
    assert (await client.fetch_channel(channel.id)).topic == "the sky"
    one, two, three = [
        await heard("message", lambda message: message.content == text, channel.send(text)) for text in ("one", "two", "three")
    ]
    await heard("message_edit", lambda _before, after: after.content == "first", one.edit(content="first"))
    assert [message.content async for message in channel.history(limit=2)] == ["three", "two"]
    await heard("guild_channel_pins_update", lambda where, _at: where == channel, one.pin())
    assert ids(await channel.pins()) == [one.id]
    await one.unpin()
    await heard("reaction_add", lambda reaction, _user: reaction.message.id == two.id, two.add_reaction("👍"))
    await heard(
        "reaction_remove", lambda reaction, _user: reaction.message.id == two.id, two.remove_reaction("👍", client.user)
    )
    await two.add_reaction("👋")
    await heard("raw_reaction_clear", lambda cleared: cleared.message_id == two.id, two.clear_reactions())
    await heard("message_delete", lambda message: message.id == one.id, one.delete())
    swept = client.loop.create_task(client.wait_for("bulk_message_delete"))
    await channel.delete_messages([two, three])
    assert ids(await swept) == sorted([two.id, three.id])
    return channel


async def direct(guild):
    """Voice."""
    speaker, deck = guild.get_member(KICKED_ID), await guild.create_voice_channel("Deck")
    assert speaker.voice.channel.id == VOICE_CHANNEL_ID
    await heard("voice_state_update", lambda _member, _before, after: after.mute, speaker.edit(mute=True))
    await heard(
        "voice_state_update",
        lambda _member, _before, after: after.channel and after.channel.id == deck.id,
        speaker.move_to(deck),
    )
    await heard("voice_state_update", lambda _member, _before, after: after.channel is None, speaker.move_to(None))
    await deck.delete()


async def judge(guild):
    """Kicks, bans and their log."""
    kicked, banned = guild.get_member(KICKED_ID), guild.get_member(BANNED_ID)
    await heard("member_remove", lambda member: member.id == KICKED_ID, guild.kick(kicked, reason="a long day: ä"))
    assert guild.get_member(KICKED_ID) is None
    await heard(
        "member_ban",
        lambda _guild, user: user.id == BANNED_ID,
        guild.ban(banned, delete_message_seconds=60, reason="mutiny"),
    )
    assert (await guild.fetch_ban(banned)).reason == "mutiny"
    assert [entry.user.id async for entry in guild.bans()] == [BANNED_ID]
    await heard(
        "member_unban", lambda _guild, user: user.id == BANNED_ID, guild.unban(discord.Object(BANNED_ID), reason="forgiven")
    )

    async def log_of(action):
        entry = [one async for one in guild.audit_logs(limit=5, action=action)][0]
        return entry.target.id, entry.user.id, entry.reason

    actions = discord.AuditLogAction
    assert await log_of(actions.kick) == (KICKED_ID, client.user.id, "a long day: ä")
    assert await log_of(actions.ban) == (BANNED_ID, client.user.id, "mutiny")
    assert await log_of(actions.unban) == (BANNED_ID, client.user.id, "forgiven")


async def moderate():
    guild = client.get_guild(GUILD_ID)
    await check_caches(guild)
    await talk(guild)
    role, lower = await shape(guild)
    channel = await write(guild)
    await direct(guild)
    await judge(guild)
    await heard("guild_channel_delete", lambda gone: gone.id == channel.id, channel.delete())
    await heard("guild_role_delete", lambda gone: gone.id == role.id, role.delete())
    await heard("guild_role_delete", lambda gone: gone.id == lower.id, lower.delete())
    assert ids(guild.roles) == ids(await guild.fetch_roles())


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

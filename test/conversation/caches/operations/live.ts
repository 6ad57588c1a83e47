import { openSocket } from '../../../harness/live.js';
import { anybody, byBot, byPerson, moderator, type Operations, type Outcome } from '../acting.js';
import { ACTIVITY_TYPES, sendPayload } from '../cast.js';

/** Presence updates of a bot in total. The server delays updates beyond five in 20 s. */
const MOST_STATEMENTS = 4;

/** Payloads without an answer count as done once they are sent. */
const SENT: Outcome = { done: true, answer: 'sent' };

export const liveOperations: Operations = {
  'come online': {
    weight: 14,
    plan(scene) {
      const { cast, random } = scene;
      const person = random.of([cast.owner, ...cast.people]);
      if ((cast.sockets.get(person)?.length ?? 0) >= 2) return null;
      return async () => {
        const socket = await openSocket(cast.server, person);
        cast.sockets.set(person, [...(cast.sockets.get(person) ?? []), socket]);
        return SENT;
      };
    },
  },
  'go offline': {
    weight: 8,
    plan({ cast, random }) {
      const online = [...cast.sockets.entries()].filter(([, open]) => open.length > 0).map(([person]) => person);
      const person = random.orNull(online);
      if (!person) return null;
      return async () => {
        const [first, ...others] = cast.sockets.get(person) ?? [];
        cast.sockets.set(person, others);
        await first?.close();
        return SENT;
      };
    },
  },
  'say how one is seen': {
    weight: 14,
    plan({ cast, random }) {
      const online = [...cast.sockets.entries()].filter(([, open]) => open.length > 0).map(([person]) => person);
      const person = random.orNull(online);
      const status = random.of(['ONLINE', 'IDLE', 'DND', 'INVISIBLE']);
      return person && byPerson(person, 'setPresence', 'SetPresenceInput', { status });
    },
  },
  'say how a bot is seen': {
    weight: 6,
    plan({ cast, random }) {
      const bot = random.of([cast.administrator, cast.roamer, cast.watcher]);
      if (bot.statements >= MOST_STATEMENTS) return null;
      bot.statements += 1;
      const status = random.of(['online', 'idle', 'dnd'] as const);
      const activities = [{ name: `game ${random.below(1_000)}`, type: random.of(ACTIVITY_TYPES) }];
      return async () => {
        bot.client.user.setPresence({ status, activities });
        return SENT;
      };
    },
  },
  'join voice, or move there': {
    weight: 25,
    plan(scene) {
      const channelId = scene.random.orNull(scene.picture.voices);
      return channelId === null ? null : byPerson(anybody(scene), 'joinVoice', 'ChannelIdInput', { channelId });
    },
  },
  'leave voice': {
    weight: 8,
    plan({ cast, picture, random }) {
      const person = random.orNull([cast.owner, ...cast.people].filter(({ id }) => picture.inVoice.includes(id)));
      return person && byPerson(person, 'leaveVoice', 'GuildIdInput', { guildId: cast.guild.id });
    },
  },
  'join or leave voice as a bot': {
    weight: 8,
    plan({ cast, picture, random }) {
      const bot = random.of([cast.administrator, cast.watcher]);
      const channelId = random.chance(0.3) ? null : random.orNull(picture.voices);
      const muted = { self_mute: random.chance(0.5), self_deaf: random.chance(0.5) };
      return async () => {
        sendPayload(bot, 4, { guild_id: cast.guild.id, channel_id: channelId, ...muted });
        return SENT;
      };
    },
  },
  'mute oneself in voice': {
    weight: 12,
    plan({ cast, picture, random }) {
      const person = random.orNull([cast.owner, ...cast.people].filter(({ id }) => picture.inVoice.includes(id)));
      const input = { guildId: cast.guild.id, selfMute: random.chance(0.5), selfDeaf: random.chance(0.5) };
      return person && byPerson(person, 'setVoiceState', 'SetVoiceStateInput', input);
    },
  },
  'mute or deafen somebody in voice': {
    weight: 14,
    plan(scene) {
      const { cast, picture, random } = scene;
      const userId = random.orNull(picture.inVoice);
      if (userId === null) return null;
      const change = random.of([{ mute: random.chance(0.5) }, { deaf: random.chance(0.5) }]);
      const path = random.chance(0.5) ? 'members' : 'voice-states';
      return byBot(moderator(scene), 'PATCH', `/guilds/${cast.guild.id}/${path}/${userId}`, change);
    },
  },
  'move somebody in voice': {
    weight: 12,
    plan(scene) {
      const { cast, picture, random } = scene;
      const userId = random.orNull(picture.inVoice);
      if (userId === null) return null;
      const channel_id = random.chance(0.3) ? null : random.orNull(picture.voices);
      return byBot(moderator(scene), 'PATCH', `/guilds/${cast.guild.id}/members/${userId}`, { channel_id });
    },
  },
};

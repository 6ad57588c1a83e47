import type { Person } from '../../../harness/people.js';
import type { RestBot } from '../../../harness/rest.js';
import { anybody, byBot, byPerson, moderator, type Operations, type Scene, type Step } from '../acting.js';
import type { Picture } from '../picture.js';

const EMOJIS = ['👍', '🎉', '❤️', '🐙'];

const wordsOf = ({ random }: Scene) => `word ${random.below(100_000)}`;

function bots({ cast }: Scene): RestBot[] {
  return [cast.administrator.rest, cast.roamer.rest, cast.watcher.rest, cast.worker];
}

/** Half of the messages are in channels that the watcher always or never sees. */
function channelOf({ cast, picture, random }: Scene): string | null {
  if (random.chance(0.3)) return cast.steadyId;
  return random.orNull(picture.texts);
}

function pathOf({ channelId, id }: Pick<Picture['messages'][number], 'channelId' | 'id'>): string {
  return `/channels/${channelId}/messages/${id}`;
}

function authorOf(scene: Scene, authorId: string): RestBot | Person | undefined {
  const { cast } = scene;
  return [...bots(scene), cast.owner, ...cast.people].find(({ id }) => id === authorId);
}

function isBot(author: RestBot | Person): author is RestBot {
  return 'bot' in author;
}

/** An emoji as REST and GraphQL name it: a unicode one, or one of the guild's. */
function emojiOf({ picture, random }: Scene): string {
  const own = random.chance(0.2) ? random.orNull(picture.emojis) : null;
  return own ? `${own.name}:${own.id}` : random.of(EMOJIS);
}

function toMessage(scene: Scene, work: (message: Picture['messages'][number]) => Step | null): Step | null {
  const message = scene.random.orNull(scene.picture.messages);
  return message && work(message);
}

function toReactions(scene: Scene, work: (path: string, emoji: string, place: object) => Step | null): Step | null {
  const message = scene.random.orNull(scene.picture.messages.filter(({ emojis }) => emojis.length > 0));
  if (!message) return null;
  const emoji = scene.random.of(message.emojis);
  const path = `${pathOf(message)}/reactions/${encodeURIComponent(emoji)}`;
  return work(path, emoji, { channelId: message.channelId, messageId: message.id, emoji });
}

export const messageOperations: Operations = {
  'send a message': {
    weight: 110,
    plan(scene) {
      const { picture, random } = scene;
      const channelId = channelOf(scene);
      if (channelId === null) return null;
      const earlier = random.chance(0.3)
        ? random.orNull(picture.messages.filter((message) => message.channelId === channelId))
        : null;
      const content = wordsOf(scene);
      if (random.chance(0.5)) {
        const reply = earlier ? { message_reference: { message_id: earlier.id } } : {};
        const embeds = random.chance(0.2) ? { embeds: [{ title: wordsOf(scene) }] } : {};
        return byBot(random.of(bots(scene)), 'POST', `/channels/${channelId}/messages`, {
          content,
          ...reply,
          ...embeds,
        });
      }
      const input = { channelId, content, replyTo: earlier?.id };
      return byPerson(anybody(scene), 'sendMessage', 'SendMessageInput', input);
    },
  },
  'edit a message': {
    weight: 45,
    plan: (scene) =>
      toMessage(scene, (message) => {
        const author = authorOf(scene, message.authorId);
        if (!author) return null;
        const content = wordsOf(scene);
        if (isBot(author)) return byBot(author, 'PATCH', pathOf(message), { content });
        const input = { channelId: message.channelId, messageId: message.id, content };
        return byPerson(author, 'editMessage', 'EditMessageInput', input);
      }),
  },
  'delete a message': {
    weight: 18,
    plan: (scene) =>
      toMessage(scene, (message) => {
        if (scene.random.chance(0.6)) return byBot(moderator(scene), 'DELETE', pathOf(message));
        const input = { channelId: message.channelId, messageId: message.id };
        return byPerson(scene.cast.owner, 'deleteMessage', 'MessageIdInput', input);
      }),
  },
  'delete several messages at once': {
    weight: 6,
    plan(scene) {
      const { picture, random } = scene;
      const channelId = channelOf(scene);
      const there = picture.messages.filter((message) => message.channelId === channelId);
      if (there.length < 3) return null;
      const messages = random.shuffled(there.map(({ id }) => id)).slice(0, 3);
      return byBot(moderator(scene), 'POST', `/channels/${channelId}/messages/bulk-delete`, { messages });
    },
  },
  react: {
    weight: 70,
    plan: (scene) =>
      toMessage(scene, (message) => {
        const { cast, random } = scene;
        const emoji = emojiOf(scene);
        if (random.chance(0.4)) {
          const bot = random.of([cast.roamer.rest, cast.worker]);
          return byBot(bot, 'PUT', `${pathOf(message)}/reactions/${encodeURIComponent(emoji)}/@me`);
        }
        const input = { channelId: message.channelId, messageId: message.id, emoji };
        return byPerson(anybody(scene), 'addReaction', 'ReactionInput', input);
      }),
  },
  'take a reaction back': {
    weight: 18,
    plan: (scene) =>
      toReactions(scene, (path, _emoji, place) => {
        const { cast, random } = scene;
        if (random.chance(0.5)) return byBot(random.of([cast.roamer.rest, cast.worker]), 'DELETE', `${path}/@me`);
        return byPerson(anybody(scene), 'removeReaction', 'ReactionInput', place);
      }),
  },
  "take somebody's reaction away": {
    weight: 10,
    plan: (scene) =>
      toReactions(scene, (path) => {
        const { id } = scene.random.of([scene.cast.owner, ...scene.cast.people]);
        return byBot(moderator(scene), 'DELETE', `${path}/${id}`);
      }),
  },
  'take all reactions with an emoji away': {
    weight: 5,
    plan: (scene) => toReactions(scene, (path) => byBot(moderator(scene), 'DELETE', path)),
  },
  'take all reactions away': {
    weight: 4,
    plan: (scene) =>
      toReactions(scene, (path) => byBot(moderator(scene), 'DELETE', path.replace(/\/reactions\/.*/, '/reactions'))),
  },
  'pin a message': {
    weight: 16,
    plan: (scene) =>
      toMessage(scene, (message) => {
        if (scene.random.chance(0.5)) {
          return byBot(moderator(scene), 'PUT', `/channels/${message.channelId}/messages/pins/${message.id}`);
        }
        const input = { channelId: message.channelId, messageId: message.id };
        return byPerson(scene.cast.owner, 'pinMessage', 'MessageIdInput', input);
      }),
  },
  'unpin a message': {
    weight: 12,
    plan(scene) {
      const message = scene.random.orNull(scene.picture.messages.filter(({ pinned }) => pinned));
      if (!message) return null;
      if (scene.random.chance(0.5)) {
        return byBot(moderator(scene), 'DELETE', `/channels/${message.channelId}/pins/${message.id}`);
      }
      const input = { channelId: message.channelId, messageId: message.id };
      return byPerson(scene.cast.owner, 'unpinMessage', 'MessageIdInput', input);
    },
  },
  type: {
    weight: 12,
    plan(scene) {
      const channelId = channelOf(scene);
      if (channelId === null) return null;
      if (scene.random.chance(0.5)) return byBot(scene.random.of(bots(scene)), 'POST', `/channels/${channelId}/typing`);
      return byPerson(anybody(scene), 'startTyping', 'ChannelIdInput', { channelId });
    },
  },
};

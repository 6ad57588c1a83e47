import { ChannelType, ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import type { GreetingKind } from '../../infra/database/index.js';
import { invalidInput } from '../errors.js';
import { limits } from '../limits.js';
import { setAbsence } from './absences/set.js';
import {
  type BuiltInAnswer,
  type BuiltInCommand,
  type Invocation,
  type NameIn,
  privately,
  required,
  SAID,
} from './command.js';
import { removeGreeting, setGreeting } from './greetings/set.js';
import { requireServer } from './place.js';
import { addReminder } from './reminders/add.js';
import { parseDelay } from './reminders/delay.js';

export const MEMBERS = {
  afk: {
    description: 'Show members who mention you that you are away, until your next message',
    options: [
      { type: Type.String, name: 'message', description: 'Reason or time of return', max_length: limits.awayNote },
    ],
    run: async ({ call, place, given }) => {
      await setAbsence(call, requireServer(place).guildId, given.text('message') ?? 'no reason given');
      return privately(
        'You are now marked as away. Members who mention you see this until your next message in this server.',
      );
    },
  },
  remindme: {
    description: 'Set a reminder',
    // The reminder itself is public.
    needs: SAID,
    options: [
      { type: Type.String, name: 'when', description: 'Time from now, such as 10m, 2h or 3d', required: true },
      {
        type: Type.String,
        name: 'about',
        description: 'What to remind you about',
        required: true,
        max_length: limits.reminder,
      },
    ],
    run: remind,
  },
  welcome: greeting('WELCOME', 'Set the message for new members'),
  goodbye: greeting('GOODBYE', 'Set the message for members who leave'),
} satisfies Record<NameIn<'member'>, BuiltInCommand>;

async function remind({ call, place, given }: Invocation): Promise<BuiltInAnswer> {
  const delay = parseDelay(required(given.text('when')));
  if (delay === null) {
    throw invalidInput({
      path: 'options.0.value',
      code: 'STRING_TYPE_REGEX',
      message: 'Enter a time in minutes, hours or days, such as 10m, 2h or 3d. The maximum is one year.',
    });
  }
  const dueAt = await addReminder(call, place, { delay, about: required(given.text('about')) });
  return privately(`I will remind you <t:${Math.floor(dueAt / 1000)}:R>.`);
}

/** The message may contain `{user}` and `{server}`. */
function greeting(kind: GreetingKind, description: string): BuiltInCommand {
  return {
    description,
    options: [
      {
        type: Type.Channel,
        name: 'channel',
        description: 'Channel for the message (default: this channel)',
        channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
      },
      {
        type: Type.String,
        name: 'message',
        description: 'Text of the message. {user} and {server} are replaced.',
        max_length: limits.greeting,
      },
      { type: Type.Boolean, name: 'off', description: 'Turn the message off' },
    ],
    async run({ call, place, given }) {
      const { guildId, channelId } = requireServer(place);
      if (given.flag('off')) {
        await removeGreeting(call, guildId, kind);
        return privately('The message is off.');
      }
      const target = given.id('channel') ?? channelId;
      await setGreeting(call, { guildId, kind, channelId: target, message: given.text('message') ?? DEFAULTS[kind] });
      return privately(`The message will be posted in <#${target}>.`);
    },
  };
}

const DEFAULTS: Record<GreetingKind, string> = {
  WELCOME: 'Welcome to {server}, {user}!',
  GOODBYE: '{user} has left {server}.',
};

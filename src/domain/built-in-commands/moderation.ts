import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import type { BuiltInAnswer, BuiltInCommand, Invocation, NameIn } from './command.js';

const WHOM = { type: Type.User, name: 'user', description: 'Whom', required: true };
const WHY = { type: Type.String, name: 'reason', description: 'Why, for the audit log', max_length: 512 };

export const MODERATION = {
  ban: {
    description: 'Removes somebody from the server, for good',
    options: [
      WHOM,
      WHY,
      {
        type: Type.Integer,
        name: 'delete_days',
        description: 'Removes their messages of the last days, 7 at most',
        min_value: 0,
        max_value: 7,
      },
    ],
    run: todo,
  },
  unban: { description: 'Lets somebody come again', options: [WHOM, WHY], run: todo },
  kick: { description: 'Removes somebody from the server', options: [WHOM, WHY], run: todo },
  clear: {
    description: 'Removes the newest messages of this channel',
    options: [
      {
        type: Type.Integer,
        name: 'count',
        description: 'How many, 100 at most',
        required: true,
        min_value: 1,
        max_value: 100,
      },
    ],
    run: todo,
  },
  slowmode: {
    description: 'Says how long everybody has to wait between messages in this channel',
    options: [
      {
        type: Type.Integer,
        name: 'seconds',
        description: 'How long, six hours at most; 0 for not at all',
        required: true,
        min_value: 0,
        max_value: 21_600,
      },
    ],
    run: todo,
  },
} satisfies Record<NameIn<'moderation'>, BuiltInCommand>;

async function todo(_invocation: Invocation): Promise<BuiltInAnswer> {
  throw new Error('wired when merged');
}

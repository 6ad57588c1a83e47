import { randomInt } from 'node:crypto';
import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import { Lazy } from '../../infra/caching/lazy.js';
import { invalidInput } from '../errors.js';
import { characters } from '../input.js';
import {
  type BuiltInAnswer,
  type BuiltInCommand,
  type Invocation,
  type NameIn,
  openly,
  required,
  SAID,
} from './command.js';

const ORACLE = [
  'It is certain.',
  'Without a doubt.',
  'Yes, definitely.',
  'You may rely on it.',
  'As I see it, yes.',
  'Most likely.',
  'The signs point to yes.',
  'The answer is hazy, try again.',
  'Ask again later.',
  'Cannot predict now.',
  'Concentrate and ask again.',
  "Don't count on it.",
  'My reply is no.',
  'The outlook is not so good.',
  'Very doubtful.',
];

/** Longer text would not fit a message. */
const ASCII_LENGTH = 20;

/** Few cameras read larger codes. */
const QR_LENGTH = 1_000;

const letters = new Lazy(async () => {
  const [{ default: figlet }, { default: standard }] = await Promise.all([
    import('figlet'),
    import('figlet/fonts/Standard'),
  ]);
  figlet.parseFont('Standard', standard);
  return figlet;
});

const qrCodes = new Lazy(async () => (await import('qrcode')).default);

export const FUN = {
  '8ball': {
    description: 'Ask the magic 8 ball',
    needs: SAID,
    options: [{ type: Type.String, name: 'question', description: 'Your question', required: true, max_length: 1_000 }],
    run: async ({ given }) => openly(`> ${oneLine(required(given.text('question')))}\n🎱 ${pick(ORACLE)}`),
  },
  flip: {
    description: 'Flip a coin',
    needs: SAID,
    options: [],
    run: async () => openly(`🪙 ${pick(['Heads', 'Tails'])}`),
  },
  choice: {
    description: 'Pick one of several options',
    needs: SAID,
    options: [
      {
        type: Type.String,
        name: 'options',
        description: 'Options to choose from, separated by commas',
        required: true,
        max_length: 1_000,
      },
    ],
    run: async ({ given }) => openly(`I choose **${pick(choicesIn(required(given.text('options'))))}**.`),
  },
  ascii: {
    description: 'Write text in large letters',
    needs: SAID,
    options: [
      { type: Type.String, name: 'text', description: 'Text to write', required: true, max_length: ASCII_LENGTH },
    ],
    run: writeLarge,
  },
  qrcode: {
    description: 'Create a QR code',
    needs: [...SAID, 'sendFiles'],
    options: [
      { type: Type.String, name: 'text', description: 'Text to encode', required: true, max_length: QR_LENGTH },
    ],
    run: async ({ given }) => {
      const { toBuffer } = await qrCodes.get();
      const png = await toBuffer(required(given.text('text')), { type: 'png', width: 320, margin: 2 });
      return { picture: { filename: 'qrcode.png', png }, isPrivate: false };
    },
  },
  love: {
    description: 'Show how well two users match',
    needs: SAID,
    options: [
      { type: Type.User, name: 'user', description: 'First user', required: true },
      { type: Type.User, name: 'with', description: 'Second user (default: you)' },
    ],
    run: tellLove,
  },
} satisfies Record<NameIn<'fun'>, BuiltInCommand>;

function pick<Thing>(things: readonly [Thing, ...Thing[]] | readonly Thing[]): Thing {
  return things[randomInt(things.length)] as Thing;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** @throws INVALID_INPUT for fewer than two choices */
function choicesIn(text: string): string[] {
  const choices = oneLine(text)
    .split(',')
    .map((choice) => choice.trim())
    .filter((choice) => choice !== '');
  if (choices.length >= 2) return choices;
  throw invalidInput({
    path: 'options.0.value',
    code: 'BASE_TYPE_BAD_LENGTH',
    message: 'Enter at least two options, separated by commas.',
  });
}

async function writeLarge({ given }: Invocation): Promise<BuiltInAnswer> {
  const text = required(given.text('text'));
  const figlet = await letters.get();
  const drawn = figlet.textSync(text, { font: 'Standard', width: 120, whitespaceBreak: true });
  if (drawn.trim() === '' || characters(drawn) > 3_900) {
    throw invalidInput({
      path: 'options.0.value',
      code: 'STRING_TYPE_REGEX',
      message: 'This text cannot be drawn in large letters. Use ASCII letters, digits and punctuation.',
    });
  }
  return openly(`\`\`\`\n${drawn.replaceAll('`', "'")}\n\`\`\``);
}

async function tellLove({ given, caller }: Invocation): Promise<BuiltInAnswer> {
  const one = required(given.user('user'));
  const other = given.user('with') ?? caller;
  const percent = Number((one.id * other.id + one.id + other.id) % 101n);
  const hearts = Math.round(percent / 10);
  return openly(`<@${one.id}> and <@${other.id}>: **${percent} %**\n${'❤️'.repeat(hearts)}${'🖤'.repeat(10 - hearts)}`);
}

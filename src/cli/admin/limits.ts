import { type Command, InvalidArgumentError } from 'commander';
import { examples } from '../examples.js';
import { type ActOptions, run, withReason } from './act.js';
import { type AdminOptions, askInstance, withInstance } from './connection.js';
import { findPerson } from './find.js';
import { print, table, time } from './output.js';

interface Refusals {
  kind: string;
  subject: string;
  subjectName: string | null;
  refusals: number;
  lastAt: string;
}

interface Limit {
  kind: string;
  name: string;
  description: string;
  default: number;
  value: number;
  perSubject: { subject: string; name: string | null; value: number }[];
}

const LIMIT = 'kind name description default value perSubject { subject name value }';

const KIND_ARGUMENT = ['<kind>', 'kind of the limit, as `causeway admin limits show` names it'] as const;

const FOR_OPTION = ['--for <subject>', 'a person, the ID of a bot, or a network address'] as const;

export function addLimitsCommand(admin: Command): void {
  const limits = admin
    .command('limits')
    .summary('show and change limits')
    .description('Shows and changes limits of the instance, and of single people, bots and addresses.')
    .addHelpText(
      'after',
      examples(['causeway admin limits set guilds 50 --reason "small disk"', 'change a limit for everyone']),
    );
  addShowCommand(limits);
  addLimitedCommand(limits);
  addSetCommand(limits);
  addUnsetCommand(limits);
}

function addShowCommand(limits: Command): void {
  withInstance(limits.command('show'))
    .description('Shows the limits that operators can change.')
    .addHelpText('after', examples(['causeway admin limits show', 'show all limits']))
    .action((options: AdminOptions) =>
      run(async () => {
        const query = `{ instance { limits { ${LIMIT} } } }`;
        const { instance } = await askInstance<{ instance: { limits: Limit[] } }>(options, query);
        const rows = instance.limits.flatMap(({ perSubject, ...limit }) => [
          { ...limit, subject: 'all' },
          ...perSubject.map(({ subject, name, value }) => ({ ...limit, value, subject: subjectText(subject, name) })),
        ]);
        const text = table(rows, {
          KIND: ({ kind }) => kind.toLowerCase(),
          FOR: ({ subject }) => subject,
          VALUE: ({ value }) => value,
          DEFAULT: (limit) => limit.default,
          NAME: ({ name }) => name,
        });
        print(options, instance.limits, text);
      }),
    );
}

function addLimitedCommand(limits: Command): void {
  withInstance(limits.command('limited'))
    .description('Shows who was refused in the last 10 minutes, and by which limit.')
    .addHelpText('after', examples(['causeway admin limits limited', 'show people, bots and addresses']))
    .action((options: AdminOptions) =>
      run(async () => {
        const { instance } = await askInstance<{ instance: { limited: Refusals[] } }>(options, LIMITED);
        const text = table(instance.limited, {
          KIND: ({ kind }) => kind.toLowerCase(),
          FOR: ({ subject, subjectName }) => subjectText(subject, subjectName),
          REFUSALS: ({ refusals }) => refusals,
          LAST: ({ lastAt }) => time(lastAt),
        });
        print(options, instance.limited, text);
      }),
    );
}

const LIMITED = '{ instance { limited { kind subject subjectName refusals since lastAt until } } }';

const subjectText = (subject: string, name: string | null) => (name === null ? subject : `${name} (${subject})`);

interface SetOptions extends ActOptions {
  for?: string;
}

/** @throws {InvalidArgumentError} */
function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number.');
}

function addSetCommand(limits: Command): void {
  withReason(withInstance(limits.command('set')))
    .description('Changes a limit, for everyone or for one person, bot or address.')
    .argument(...KIND_ARGUMENT)
    .argument('<value>', 'the new value', wholeNumber)
    .option(...FOR_OPTION)
    .addHelpText(
      'after',
      examples(['causeway admin limits set messages 1 --for ada --reason spam', 'slow a person down']),
    )
    .action((kind: string, value: number, options: SetOptions) =>
      run(() => change(options, kind, value, `The limit ${kind}${whom(options)} is ${value} now.`)),
    );
}

function addUnsetCommand(limits: Command): void {
  withReason(withInstance(limits.command('unset')))
    .description('Returns a limit to its default, or one person, bot or address to the value for everyone.')
    .argument(...KIND_ARGUMENT)
    .option(...FOR_OPTION)
    .addHelpText(
      'after',
      examples(['causeway admin limits unset messages --reason "is over"', 'return to the default']),
    )
    .action((kind: string, options: SetOptions) =>
      run(() => {
        const then = options.for === undefined ? 'its default' : 'the value for everyone';
        return change(options, kind, null, `The limit ${kind}${whom(options)} has ${then} again.`);
      }),
    );
}

function whom({ for: subject }: SetOptions): string {
  return subject === undefined ? '' : ` for ${subject}`;
}

const SET = 'mutation ($input: OperatorSetLimitInput!) { operatorSetLimit(input: $input) { __typename } }';

async function change(options: SetOptions, given: string, value: number | null, text: string): Promise<void> {
  const kind = given.toUpperCase().replaceAll('-', '_');
  const { for: named = '' } = options;
  const subject = named.includes('@') ? (await findPerson(options, named)).id : named;
  await askInstance(options, SET, { input: { kind, subject, value, reason: options.reason } });
  print(options, { kind, subject, value }, text);
}

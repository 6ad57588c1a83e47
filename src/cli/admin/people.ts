import { Argument, type Command } from 'commander';
import { examples } from '../examples.js';
import { Failure } from '../failure.js';
import { type ActOptions, type ConfirmedOptions, confirmed, run, withReason, withYes } from './act.js';
import { type AdminOptions, askInstance, withInstance } from './connection.js';
import { findPerson } from './find.js';
import { type Connection, details, PAGE_INFO, type PageOptions, print, printPage, time, withPage } from './output.js';
import { addDeleteCommand } from './people-delete.js';
import { addExportCommand } from './people-export.js';

interface Person {
  id: string;
  user: { username: string; globalName: string | null };
  email: string;
  emailVerified: boolean;
  createdAt: string;
  seenAt: string | null;
  operatorRole: 'OPERATOR' | 'MODERATOR' | null;
  suspendedAt: string | null;
  deletionAt: string | null;
  suspensionText: string | null;
}

interface PersonWithFigures extends Person {
  figures: { messages: number; servers: number; teams: number; applications: number; boxes: number };
}

const PERSON =
  'id user { username globalName } email emailVerified createdAt seenAt deletionAt operatorRole suspendedAt suspensionText';
const FIGURES = 'figures { messages servers teams applications boxes }';

export const PERSON_ARGUMENT = ['<person>', 'ID, username or email address'] as const;

export function addPeopleCommand(admin: Command): void {
  const people = admin
    .command('people')
    .summary('list, suspend and delete people, and more')
    .description('Lists people, and acts on them. A person is given as ID, username or email address.')
    .addHelpText(
      'after',
      examples(
        ['causeway admin people list --search ada', 'find people'],
        ['causeway admin people suspend ada --reason spam', 'keep a person out for now'],
        ['causeway admin people role ada operator --reason "takes over"', 'make a person an operator'],
      ),
    );
  addListCommand(people);
  addShowCommand(people);
  addSuspendCommand(people);
  addRestoreCommand(people);
  addSignOutCommand(people);
  addPasswordLinkCommand(people);
  addRoleCommand(people);
  addDeleteCommand(people);
  addExportCommand(people);
}

interface ListOptions extends PageOptions {
  search?: string;
  suspended?: true;
}

const LIST = `query ($first: Int, $after: String, $search: String, $suspended: Boolean) { instance {
  people(first: $first, after: $after, search: $search, suspended: $suspended) {
    edges { node { ${PERSON} } } ${PAGE_INFO}
  }
} }`;

function addListCommand(people: Command): void {
  withPage(withInstance(people.command('list')))
    .description('Lists people by time of sign-up, oldest first.')
    .option('--search <text>', 'part of a username, display name or email address, or an ID')
    .option('--suspended', 'suspended people only')
    .addHelpText(
      'after',
      examples(
        ['causeway admin people list --suspended', 'list suspended people'],
        ["causeway admin people list --json | jq -r '.edges[].node.email'", 'print email addresses'],
      ),
    )
    .action((options: ListOptions) =>
      run(async () => {
        const { limit: first, after, search, suspended } = options;
        const variables = { first, after, search, suspended };
        const { instance } = await askInstance<{ instance: { people: Connection<Person> } }>(options, LIST, variables);
        printPage(options, instance.people, {
          ID: ({ id }) => id,
          USERNAME: ({ user }) => user.username,
          EMAIL: ({ email }) => email,
          'SIGNED UP': ({ createdAt }) => time(createdAt),
          STATE: ({ operatorRole, suspendedAt }) => operatorRole?.toLowerCase() ?? (suspendedAt && 'suspended'),
        });
      }),
    );
}

const SHOW = `query ($id: ID!) { instance { person(id: $id) { ${PERSON} ${FIGURES} } } }`;

function addShowCommand(people: Command): void {
  withInstance(people.command('show'))
    .description('Shows a person, and how much they wrote and own.')
    .argument(...PERSON_ARGUMENT)
    .addHelpText('after', examples(['causeway admin people show ada@example.com', 'show a person']))
    .action((given: string, options: AdminOptions) =>
      run(async () => {
        const { id } = await findPerson(options, given);
        const { instance } = await askInstance<{ instance: { person: PersonWithFigures } }>(options, SHOW, { id });
        print(options, instance.person, personText(instance.person));
      }),
    );
}

function personText({ figures, user, ...person }: PersonWithFigures): string {
  return details({
    ID: person.id,
    Username: user.username,
    'Display name': user.globalName,
    Email: `${person.email}${person.emailVerified ? '' : ' (not verified)'}`,
    'Signed up': time(person.createdAt),
    'Last seen': time(person.seenAt),
    Role: person.operatorRole?.toLowerCase(),
    Suspended: time(person.suspendedAt),
    'Deletion asked for': time(person.deletionAt),
    'Text at sign-in': person.suspensionText,
    Messages: figures.messages,
    Servers: figures.servers,
    Teams: figures.teams,
    Applications: figures.applications,
    Boxes: figures.boxes,
  });
}

interface SuspendOptions extends ActOptions, ConfirmedOptions {
  text?: string;
}

const SUSPEND = `mutation ($input: OperatorSuspendPersonInput!) {
  operatorSuspendPerson(input: $input) { person { ${PERSON} } }
}`;

function addSuspendCommand(people: Command): void {
  withYes(withReason(withInstance(people.command('suspend'))))
    .description(
      'Signs a person out everywhere, and refuses their sign-in. Personal tokens and grants end; applications go on.',
    )
    .argument(...PERSON_ARGUMENT)
    .option('--text <text>', 'what the person reads at sign-in')
    .addHelpText(
      'after',
      examples(['causeway admin people suspend ada --reason spam --text "Write to help@example.com."', 'suspend ada']),
    )
    .action((given: string, options: SuspendOptions) =>
      run(async () => {
        const { id, name } = await findPerson(options, given);
        await confirmed(
          options,
          `Suspend ${name} (${id})? All their sessions, personal tokens and grants end. Their applications go on.`,
        );
        const input = { personId: id, reason: options.reason, text: options.text };
        const data = await askInstance<{ operatorSuspendPerson: unknown }>(options, SUSPEND, { input });
        print(options, data.operatorSuspendPerson, `Suspended ${name} (${id}).`);
      }),
    );
}

const RESTORE = `mutation ($input: OperatorPersonInput!) {
  operatorRestorePerson(input: $input) { person { ${PERSON} } }
}`;

function addRestoreCommand(people: Command): void {
  withReason(withInstance(people.command('restore')))
    .description('Ends a suspension: the person can sign in again.')
    .argument(...PERSON_ARGUMENT)
    .addHelpText('after', examples(['causeway admin people restore ada --reason "wrote to us"', 'restore ada']))
    .action((given: string, options: ActOptions) =>
      run(async () => {
        const { id, name } = await findPerson(options, given);
        const input = { personId: id, reason: options.reason };
        const data = await askInstance<{ operatorRestorePerson: unknown }>(options, RESTORE, { input });
        print(options, data.operatorRestorePerson, `Restored ${name} (${id}).`);
      }),
    );
}

const SIGN_OUT = `mutation ($input: OperatorPersonInput!) {
  operatorSignOutPerson(input: $input) { person { ${PERSON} } }
}`;

function addSignOutCommand(people: Command): void {
  withYes(withReason(withInstance(people.command('sign-out'))))
    .description('Ends all sessions, personal tokens and grants of a person.')
    .argument(...PERSON_ARGUMENT)
    .addHelpText('after', examples(['causeway admin people sign-out ada --reason "lost laptop"', 'sign ada out']))
    .action((given: string, options: ActOptions & ConfirmedOptions) =>
      run(async () => {
        const { id, name } = await findPerson(options, given);
        await confirmed(options, `End all sessions, personal tokens and grants of ${name} (${id})?`);
        const input = { personId: id, reason: options.reason };
        const data = await askInstance<{ operatorSignOutPerson: unknown }>(options, SIGN_OUT, { input });
        print(options, data.operatorSignOutPerson, `Signed ${name} (${id}) out everywhere.`);
      }),
    );
}

const PASSWORD_LINK = `mutation ($input: OperatorPersonInput!) { operatorCreatePasswordLink(input: $input) { url } }`;

function addPasswordLinkCommand(people: Command): void {
  withReason(withInstance(people.command('password-link')))
    .description(
      'Prints a link with which the person chooses a new password. It works once, within an hour. Give it to that person only.',
    )
    .argument(...PERSON_ARGUMENT)
    .addHelpText('after', examples(['causeway admin people password-link ada --reason "no mail"', 'print a link']))
    .action((given: string, options: ActOptions) =>
      run(async () => {
        const { id } = await findPerson(options, given);
        const input = { personId: id, reason: options.reason };
        const { operatorCreatePasswordLink: link } = await askInstance<{ operatorCreatePasswordLink: { url: string } }>(
          options,
          PASSWORD_LINK,
          { input },
        );
        print(options, link, link.url);
      }),
    );
}

const SET_ROLE = `mutation ($input: OperatorSetRoleInput!) {
  operatorSetRole(input: $input) { person { ${PERSON} } }
}`;
const OPERATORS = '{ instance { operators { operatorRole } } }';

const ROLES = { operator: 'OPERATOR', moderator: 'MODERATOR', none: null } as const;

function addRoleCommand(people: Command): void {
  withReason(withInstance(people.command('role')))
    .description(
      'Makes a person an operator or a moderator, or takes the role away. Only on the machine of the instance: tokens cannot give roles.',
    )
    .argument(...PERSON_ARGUMENT)
    .addArgument(new Argument('<role>', 'the new role').choices(Object.keys(ROLES)))
    .addHelpText(
      'after',
      examples(
        ['causeway admin people role ada operator --reason "takes over"', 'make ada an operator'],
        ['causeway admin people role ada none --reason "left"', 'take the role away'],
      ),
    )
    .action((given: string, role: keyof typeof ROLES, options: ActOptions) =>
      run(async () => {
        if (options.url) throw new Failure('tokens cannot give roles; run this on the machine of the instance');
        const { id, name } = await findPerson(options, given);
        const input = { personId: id, role: ROLES[role], reason: options.reason };
        const data = await askInstance<{ operatorSetRole: unknown }>(options, SET_ROLE, { input });
        print(
          options,
          data.operatorSetRole,
          `${name} (${id}) has ${role === 'none' ? 'no role' : `the role ${role}`} now.`,
        );
        const { instance } = await askInstance<{ instance: { operators: Pick<Person, 'operatorRole'>[] } }>(
          options,
          OPERATORS,
        );
        if (instance.operators.some(({ operatorRole }) => operatorRole === 'OPERATOR')) return;
        process.stderr.write('This instance has no operator now. Its next start prints a set-up link.\n');
      }),
    );
}

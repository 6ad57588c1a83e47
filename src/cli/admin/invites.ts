import { type Command, InvalidArgumentError } from 'commander';
import { examples } from '../examples.js';
import { type ConfirmedOptions, confirmed, run, withYes } from './act.js';
import { type AdminOptions, askInstance, withInstance } from './connection.js';
import { print, table, time } from './output.js';

interface Invitation {
  id: string;
  note: string;
  codeHint: string;
  createdBy: { id: string; username: string } | null;
  createdAt: string;
  expiresAt: string | null;
  uses: number;
  maxUses: number | null;
}

const INVITATION = 'id note codeHint createdBy { id username } createdAt expiresAt uses maxUses';

export function addInvitesCommand(admin: Command): void {
  const invites = admin
    .command('invites')
    .summary('create, list and revoke links to sign up')
    .description('Creates, lists and revokes invitations, with which people sign up.')
    .addHelpText('after', examples(['causeway admin invites create --note "for Ada"', 'print a link for one person']));
  addCreateCommand(invites);
  addListCommand(invites);
  addRevokeCommand(invites);
}

interface CreateOptions extends AdminOptions {
  uses: number | 'any';
  days: number | 'never';
  note?: string;
}

/** @throws {InvalidArgumentError} */
function countOr<None extends string>(none: None): (text: string) => number | None {
  return (text) => {
    if (text === none) return none;
    if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
    throw new InvalidArgumentError(`Write a number above 0, or ${none}.`);
  };
}

const CREATE = `mutation ($input: OperatorCreateInvitationInput!) {
  operatorCreateInvitation(input: $input) { url invitation { ${INVITATION} } }
}`;

function addCreateCommand(invites: Command): void {
  withInstance(invites.command('create'))
    .description('Creates an invitation, and prints its link, which is shown only once.')
    .option('--uses <count>', 'people who can sign up with it, or “any”', countOr('any'), 1)
    .option('--days <count>', 'days until it expires, or “never”', countOr('never'), 7)
    .option('--note <text>', 'note for operators, such as whom it is for')
    .addHelpText(
      'after',
      examples(['causeway admin invites create --uses 30 --days 14 --note "course"', 'print a link for 30 people']),
    )
    .action((options: CreateOptions) =>
      run(async () => {
        const { uses, days, note } = options;
        const input = { maxUses: uses === 'any' ? null : uses, expiresInDays: days === 'never' ? null : days, note };
        const { operatorCreateInvitation: made } = await askInstance<{
          operatorCreateInvitation: { url: string; invitation: Invitation };
        }>(options, CREATE, { input });
        print(options, made, made.url);
      }),
    );
}

function addListCommand(invites: Command): void {
  withInstance(invites.command('list'))
    .description('Lists invitations, newest first, with used-up and expired ones.')
    .addHelpText('after', examples(['causeway admin invites list', 'list invitations']))
    .action((options: AdminOptions) =>
      run(async () => {
        const invitations = await loadAll(options);
        const text = table(invitations, {
          ID: ({ id }) => id,
          CODE: ({ codeHint }) => codeHint,
          USES: ({ uses, maxUses }) => `${uses} of ${maxUses ?? 'any'}`,
          EXPIRES: ({ expiresAt }) => time(expiresAt) ?? 'never',
          'CREATED BY': ({ createdBy }) => createdBy?.username,
          NOTE: ({ note }) => note,
        });
        print(options, invitations, text);
      }),
    );
}

async function loadAll(options: AdminOptions): Promise<Invitation[]> {
  const query = `{ instance { invitations { ${INVITATION} } } }`;
  const { instance } = await askInstance<{ instance: { invitations: Invitation[] } }>(options, query);
  return instance.invitations;
}

const REVOKE = 'mutation ($input: OperatorInvitationIdInput!) { operatorRevokeInvitation(input: $input) { id } }';

function addRevokeCommand(invites: Command): void {
  withYes(withInstance(invites.command('revoke')))
    .description('Makes an invitation invalid. Accounts that used it stay.')
    .argument('<invitation>', 'ID, as `causeway admin invites list` shows it')
    .addHelpText('after', examples(['causeway admin invites revoke 1412345678901234567', 'revoke an invitation']))
    .action((invitationId: string, options: ConfirmedOptions) =>
      run(async () => {
        await confirmed(options, `Revoke the invitation ${invitationId}? Its link stops working.`);
        const data = await askInstance<{ operatorRevokeInvitation: unknown }>(options, REVOKE, {
          input: { invitationId },
        });
        print(options, data.operatorRevokeInvitation, `Revoked ${invitationId}.`);
      }),
    );
}

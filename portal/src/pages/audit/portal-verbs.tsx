import type { ReactNode } from 'react';
import type { TeamRole } from '../../gql/types.js';
import { ROLE_WORDS } from '../teams/role-words.js';
import { type Changes, changedIn, countIn, textIn, Value } from './changes.js';
import type { Verb } from './language.js';
import type { PortalAction } from './portal-words.js';
import { changesOf, renamed } from './sentences.js';

const COMMAND_MARKS: Record<number, string> = { 1: '/' };

function commandName(changes: Changes): ReactNode {
  return <Value of={`${COMMAND_MARKS[Number(changes.type)] ?? ''}${textIn(changes, 'name')}`} />;
}

function roleIn(changes: Changes): string {
  return roleWord(changes.role);
}

function roleWord(role: unknown): string {
  return ROLE_WORDS[role as TeamRole] ?? String(role);
}

/** For example “3 created, 1 changed, 2 deleted”. */
function overwriteCounts(changes: Changes): string {
  const counts = [
    [countIn(changes, 'created'), 'created'],
    [countIn(changes, 'changed'), 'changed'],
    [countIn(changes, 'deleted'), 'deleted'],
  ] as const;
  const said = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return said.length === 0 ? 'no changes' : said.join(', ');
}

function fieldsIn({ fields }: Changes): string {
  return Array.isArray(fields) && fields.length > 0 ? ` (${fields.join(', ')})` : '';
}

export const PORTAL_VERBS: Record<PortalAction, Verb> = {
  APPLICATION_CREATE: ({ target }) => <>created the application {target}</>,
  APPLICATION_UPDATE: ({ changes }) => changesOf(changes),
  APPLICATION_DELETE: ({ target }) => <>deleted the application {target}</>,
  APPLICATION_TRANSFER: ({ target }) => <>moved {target} to the team</>,
  BOT_TOKEN_RESET: () => 'reset the bot token',
  CLIENT_SECRET_RESET: () => 'reset the client secret',
  COMMAND_CREATE: ({ changes }) => <>created the command {commandName(changes)}</>,
  COMMAND_UPDATE: ({ changes }) => (
    <>
      changed the command {commandName(changes)}
      {fieldsIn(changes)}
    </>
  ),
  COMMAND_DELETE: ({ changes }) => <>deleted the command {commandName(changes)}</>,
  COMMANDS_OVERWRITE: ({ changes }) => `replaced all commands: ${overwriteCounts(changes)}`,
  APPLICATION_EMOJI_CREATE: ({ target }) => <>created the emoji {target}</>,
  APPLICATION_EMOJI_UPDATE: (told) => renamed('emoji', told),
  APPLICATION_EMOJI_DELETE: ({ target }) => <>deleted the emoji {target}</>,
  APPLICATION_WEBHOOK_CREATE: ({ target }) => <>created the webhook {target}</>,
  APPLICATION_WEBHOOK_UPDATE: (told) =>
    changedIn(told.changes, 'name') ? (
      renamed('webhook', told)
    ) : (
      <>moved the webhook {told.target} to another channel</>
    ),
  APPLICATION_WEBHOOK_DELETE: ({ target }) => <>deleted the webhook {target}</>,
  TESTER_INVITE: ({ target, isOwn }) => (isOwn ? 'became a tester' : <>invited {target} as a tester</>),
  TESTER_ACCEPT: () => 'accepted the tester invitation',
  TESTER_DECLINE: () => 'declined the tester invitation',
  TESTER_REMOVE: ({ target, isOwn }) => (isOwn ? 'left the testers' : <>removed {target} from the testers</>),
  TEAM_CREATE: ({ target }) => <>created the team {target}</>,
  TEAM_UPDATE: ({ changes }) => changesOf(changes),
  TEAM_DELETE: ({ target }) => <>deleted the team {target}</>,
  TEAM_TRANSFER_OWNERSHIP: ({ target }) => <>transferred ownership of the team to {target}</>,
  TEAM_INVITATION_CREATE: ({ target, changes }) => (
    <>
      invited {target} as {roleIn(changes)}
    </>
  ),
  TEAM_INVITATION_ACCEPT: ({ changes }) => <>joined the team as {roleIn(changes)}</>,
  TEAM_INVITATION_DECLINE: ({ changes }) => <>declined to join the team as {roleIn(changes)}</>,
  TEAM_INVITATION_REVOKE: ({ target, changes }) => (
    <>
      revoked the {roleIn(changes)} invitation for {target}
    </>
  ),
  TEAM_MEMBER_UPDATE: ({ target, changes, isOwn }) => {
    const role = changedIn(changes, 'role');
    return (
      <>
        changed {isOwn ? 'their own role' : <>the role of {target}</>} from {roleWord(role?.old)} to{' '}
        {roleWord(role?.new)}
      </>
    );
  },
  TEAM_MEMBER_REMOVE: ({ target, changes }) => (
    <>
      removed {target} from the team (role: {roleIn(changes)})
    </>
  ),
  TEAM_MEMBER_LEAVE: ({ changes }) => <>left the team (role: {roleIn(changes)})</>,
};

import { type Cache, cacheExchange, type UpdatesConfig } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import type { Exchange } from 'urql';

const embedded = () => null;

/** Normalized cache. Objects without an id are stored in their parent. */
export function createCache(): Exchange {
  return cacheExchange({
    keys: {
      PortalHome: () => 'me',
      Instance: () => 'here',
      PersonFigures: embedded,
      PersonDeletion: embedded,
      AccountDeletion: embedded,
      OwnedObject: embedded,
      DataExportPayload: embedded,
      ServerFigures: embedded,
      InstanceLimit: ({ kind }) => (typeof kind === 'string' ? kind : null),
      InstanceLimitValue: embedded,
      InstanceRefusals: embedded,
      TeamMember: embedded,
      Tester: embedded,
      InstallSettings: embedded,
      Member: embedded,
      Runnability: embedded,
      EndpointHealth: embedded,
      EndpointProbe: embedded,
      ProbeCheck: embedded,
      InteractionStep: embedded,
      ParityRow: embedded,
      BoxStatistics: embedded,
      BoxFailures: embedded,
      BoxHour: embedded,
      InvitePreview: embedded,
      Invite: ({ code }) => (typeof code === 'string' ? code : null),
      Ban: embedded,
      CommandAccess: embedded,
    },
    resolvers: {
      // Not audit logs: they load from the newest end, and cached older pages would leave gaps.
      Application: { interactions: relayPagination() },
    },
    updates: { Mutation: UPDATES },
  });
}

const OPERATOR_MUTATIONS = [
  'operatorSetRole',
  'operatorSuspendPerson',
  'operatorRestorePerson',
  'operatorSignOutPerson',
  'operatorDeletePerson',
  'operatorCreatePasswordLink',
  'operatorExportPerson',
  'operatorSuspendApplication',
  'operatorRestoreApplication',
  'operatorTransferServer',
  'operatorDeleteServer',
  'operatorDisconnectBox',
  'operatorCreateInvitation',
  'operatorRevokeInvitation',
  'operatorSetLimit',
];

/** Invalidates the lists that a mutation changes. */
const UPDATES: UpdatesConfig['Mutation'] = {
  createApplication: (_result, _args, cache) => forget(cache, 'applications'),
  deleteApplication: (_result, _args, cache) => forget(cache, 'applications'),
  transferApplication: (_result, _args, cache) => forget(cache, 'applications'),
  deleteWebhook: ({ deleteWebhook }, _args, cache) => forgetOne(cache, 'Webhook', deleteWebhook),
  deleteEmoji: ({ deleteEmoji }, _args, cache) => forgetOne(cache, 'Emoji', deleteEmoji),
  deleteApplicationEmoji: ({ deleteApplicationEmoji }, _args, cache) =>
    forgetOne(cache, 'Emoji', deleteApplicationEmoji),
  deleteCommand: ({ deleteCommand }, _args, cache) => forgetOne(cache, 'ApplicationCommand', deleteCommand),
  createPersonalToken: (_result, _args, cache) => cache.invalidate('Query', 'personalTokens'),
  revokePersonalToken: ({ revokePersonalToken }, _args, cache) =>
    forgetOne(cache, 'PersonalToken', revokePersonalToken),
  deleteAccount: (_result, _args, cache) => cache.invalidate('Query', 'accountDeletion'),
  keepAccount: (_result, _args, cache) => cache.invalidate('Query', 'accountDeletion'),
  createTeam: (_result, _args, cache) => forget(cache, 'teams'),
  deleteTeam: (_result, _args, cache) => forget(cache, 'teams'),
  removeTeamMember: (_result, _args, cache) => forget(cache, 'teams'),
  removeTester: (_result, { input }, cache) => forgetTesters(cache, input),
  createGuild: (_result, _args, cache) => forget(cache, 'guilds'),
  joinGuild: (_result, _args, cache) => forget(cache, 'guilds'),
  leaveGuild: (_result, _args, cache) => forget(cache, 'guilds'),
  deleteGuild: (_result, _args, cache) => forget(cache, 'guilds'),
  ...Object.fromEntries(OPERATOR_MUTATIONS.map((name) => [name, forgetInstanceLists])),
};

/** Refetches the queries that contain the deleted object. @param deleted payload with the id */
function forgetOne(cache: Cache, type: string, deleted: unknown): void {
  if (typeof deleted !== 'object' || deleted === null || !('id' in deleted) || typeof deleted.id !== 'string') return;
  cache.invalidate({ __typename: type, id: deleted.id });
}

function forget(cache: Cache, list: string): void {
  cache.invalidate('Query', list);
  cache.invalidate({ __typename: 'PortalHome', id: 'me' }, list);
}

const INSTANCE_LISTS: ReadonlySet<string> = new Set([
  'people',
  'operators',
  'applications',
  'servers',
  'boxes',
  'invitations',
  'auditLog',
]);

/** Each action of an operator adds to the log, and moves something between filtered lists. */
function forgetInstanceLists(_result: unknown, _args: unknown, cache: Cache): void {
  const instance = { __typename: 'Instance', id: 'here' };
  for (const { fieldName, arguments: args } of cache.inspectFields(instance))
    if (INSTANCE_LISTS.has(fieldName)) cache.invalidate(instance, fieldName, args);
}

/** The payload has no application, so the id comes from the input. */
function forgetTesters(cache: Cache, input: unknown): void {
  const { applicationId } = input as { applicationId: string };
  cache.invalidate({ __typename: 'Application', id: applicationId }, 'testers');
}

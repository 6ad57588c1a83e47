import { type Cache, cacheExchange, type UpdatesConfig } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import type { Exchange } from 'urql';

const embedded = () => null;

/** What pages were shown, by type and id. What belongs to something without an id is kept with that. */
export function createCache(): Exchange {
  return cacheExchange({
    keys: {
      PortalHome: () => 'me',
      Instance: () => 'here',
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
      // Not audit logs: they are read from their newest end, where pages that were read before would leave gaps.
      Application: { interactions: relayPagination() },
    },
    updates: { Mutation: UPDATES },
  });
}

/** Lists that gain or lose something by what is done: they are asked for again. */
const UPDATES: UpdatesConfig['Mutation'] = {
  createApplication: (_result, _args, cache) => forget(cache, 'applications'),
  deleteApplication: (_result, _args, cache) => forget(cache, 'applications'),
  transferApplication: (_result, _args, cache) => forget(cache, 'applications'),
  deleteWebhook: ({ deleteWebhook }, _args, cache) => forgetOne(cache, 'Webhook', deleteWebhook),
  deleteEmoji: ({ deleteEmoji }, _args, cache) => forgetOne(cache, 'Emoji', deleteEmoji),
  deleteApplicationEmoji: ({ deleteApplicationEmoji }, _args, cache) =>
    forgetOne(cache, 'Emoji', deleteApplicationEmoji),
  deleteCommand: ({ deleteCommand }, _args, cache) => forgetOne(cache, 'ApplicationCommand', deleteCommand),
  createTeam: (_result, _args, cache) => forget(cache, 'teams'),
  deleteTeam: (_result, _args, cache) => forget(cache, 'teams'),
  removeTeamMember: (_result, _args, cache) => forget(cache, 'teams'),
  removeTester: (_result, { input }, cache) => forgetTesters(cache, input),
  createGuild: (_result, _args, cache) => forget(cache, 'guilds'),
  joinGuild: (_result, _args, cache) => forget(cache, 'guilds'),
  leaveGuild: (_result, _args, cache) => forget(cache, 'guilds'),
  deleteGuild: (_result, _args, cache) => forget(cache, 'guilds'),
};

/** What was deleted: who shows it, or a list with it, asks again. @param deleted the payload, with the id */
function forgetOne(cache: Cache, type: string, deleted: unknown): void {
  if (typeof deleted !== 'object' || deleted === null || !('id' in deleted) || typeof deleted.id !== 'string') return;
  cache.invalidate({ __typename: type, id: deleted.id });
}

function forget(cache: Cache, list: string): void {
  cache.invalidate('Query', list);
  cache.invalidate({ __typename: 'PortalHome', id: 'me' }, list);
}

/** The answer has no application in which they could be told. */
function forgetTesters(cache: Cache, input: unknown): void {
  const { applicationId } = input as { applicationId: string };
  cache.invalidate({ __typename: 'Application', id: applicationId }, 'testers');
}

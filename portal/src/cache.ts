import { type Cache, cacheExchange, type UpdatesConfig } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import type { Exchange } from 'urql';

const embedded = () => null;

/** What pages were shown, by type and id. What belongs to something without an id is kept with that. */
export function createCache(): Exchange {
  return cacheExchange({
    keys: {
      PortalHome: () => 'me',
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
      InvitePreview: embedded,
      Invite: ({ code }) => (typeof code === 'string' ? code : null),
      BuiltInCommand: ({ name }) => (typeof name === 'string' ? name : null),
      PinPage: embedded,
      PinnedMessage: embedded,
      VoiceState: embedded,
      Ban: embedded,
    },
    resolvers: {
      Application: { auditLog: relayPagination(), interactions: relayPagination() },
      Team: { auditLog: relayPagination() },
      Guild: { auditLog: relayPagination(), members: relayPagination() },
    },
    updates: { Mutation: UPDATES },
  });
}

/** Lists that gain or lose something by what is done: they are asked for again. */
const UPDATES: UpdatesConfig['Mutation'] = {
  createApplication: (_result, _args, cache) => forget(cache, 'applications'),
  deleteApplication: (_result, _args, cache) => forget(cache, 'applications'),
  transferApplication: (_result, _args, cache) => forget(cache, 'applications'),
  createGuild: (_result, _args, cache) => forget(cache, 'guilds'),
  joinGuild: (_result, _args, cache) => forget(cache, 'guilds'),
  leaveGuild: (_result, _args, cache) => forget(cache, 'guilds'),
  deleteGuild: (_result, _args, cache) => forget(cache, 'guilds'),
};

function forget(cache: Cache, list: string): void {
  cache.invalidate('Query', list);
  cache.invalidate({ __typename: 'PortalHome', id: 'me' }, list);
}

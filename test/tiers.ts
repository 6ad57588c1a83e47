/**
 * The tests of a run, by `TEST_TIER`:
 * - `fast`, the default: everything except files named `*.slow.test.ts`, and single tests with the tag `slow`.
 * - `all`: everything, and tests of uploads a second time with an S3 store.
 * - `postgres`: tests whose outcome can differ on PostgreSQL, for a run with `TEST_DATABASE_URL`.
 */
export const tier = tierOf(process.env.TEST_TIER ?? 'fast');

function tierOf(name: string) {
  if (name === 'postgres' && !process.env.TEST_DATABASE_URL) {
    throw new Error('TEST_TIER=postgres needs a server: name one with TEST_DATABASE_URL.');
  }
  if (name === 'fast' || name === 'all' || name === 'postgres') return name;
  throw new Error(`TEST_TIER is fast, all or postgres, not ${name}.`);
}

export function includedTests(): string[] {
  return tier === 'postgres' ? onPostgres : ['test/**/*.test.ts'];
}

const testFiles = (names: string[]) => names.map((name) => `test/${name}.test.ts`);

/** Tests of uploads, which an S3 store must pass, too. */
export const onS3 = testFiles([
  'cdn/attachments',
  'cdn/icons',
  'cdn/sized-images',
  'domain/channels/delete',
  'domain/messages/edit',
  'domain/messages/files',
  'domain/messages/post',
  'rest-compat/emojis',
  'schema/given-files',
  'schema/uploads',
]);

/**
 * Races, ordering, queries, outages, several processes, one file for each entry point, and features of newer versions
 * of Node.js, which `.ci/run` uses for this tier.
 */
export const onPostgres = testFiles([
  '*',
  '*.slow',
  'infra/database/*',
  'infra/jobs/*',
  'infra/times-of-use',
  'infra/{caching,ids,processes}/*',
  'infra/{storage/blobs,crypto/instance-keys}',
  'http/{closing,operations,several-behind-proxy.slow}',
  'accounts/*',
  'domain/*',
  'domain/*/{races,written,queries,statements,order,positions,limits,deletions,demotions,list,search,prune,names,visibility}',
  'domain/{audit-log,bans,deletions,guilds,installations,invites,messages,operators,personal-tokens,teams,testers,webhooks,voice}/*',
  'domain/applications/{created-in-team,delete}',
  'domain/data-export/data-export',
  'domain/members/kept-timeouts',
  'domain/interactions/{statements,states}',
  'domain/interactions/delivery/*',
  'gateway/moves/*',
  'gateway/{lost-events,lost-sessions,missed,guild-feed,presences,restart,resume,dispatch,load,voice,compression}*',
  'rest-compat/{messages,killed-process,rate-limits,hostile,table,webhooks,webhook-guesses}*',
  'schema/{application-files,lists,messages,operation-limits,portal-home}*',
  'oauth/{token,conformance}',
  'cdn/attachments',
  'relay/{self-hosted,rules}*',
  'relay/lossy/*',
  'relay/box/{results,event-log,main}*',
  'relay/same-shape/{odd,messages}*',
  'portal/{roles,two-processes}*',
  'conversation/{caches,interactions}*',
  'cli/{checks,admin.slow}',
  'scripts/*',
]);

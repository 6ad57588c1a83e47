import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest on a machine that nobody else uses, in turn those that compute and those that wait: for processes, or for a
 * time to be over that no clock of a test moves.
 */
const LONGEST = [
  'rest-compat/hostile-fields',
  'stop-interactions',
  'relay/lossy/killed',
  'redis-away',
  'relay/clients/discord-py',
  'oauth/screen',
  'scripts/demo',
  'schema/hostile-fields',
  'lost-database',
  'domain/teams/parity',
  'relay/lossy/frozen',
  'domain/interactions/deliver',
  'rest-compat/commands',
  'gateway/interactions',
  'domain/guild-operations',
  'rest-compat/rate-limits',
  'rest-compat/shut-out',
  'stop-without',
  'main',
];

/** Begins with the longest files, also where no run before this one has left word of how long each takes, so that none is alone in the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const longest = LONGEST.flatMap((name) =>
      sorted.filter(({ moduleId }) => moduleId.endsWith(`/test/${name}.test.ts`)),
    );
    return [...longest, ...sorted.filter((file) => !longest.includes(file))];
  }
}

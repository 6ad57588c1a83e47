import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askOne, openTwins, type Twins } from '../../harness/twins.js';
import { absentOnBoxes } from './operations/absent.js';
import { titleOf } from './same.js';

describe('an operation that does not work on a box (service description, sections 4 and 7)', () => {
  let twins: Twins;
  beforeAll(async () => {
    twins = await openTwins();
  }, 120_000);
  afterAll(() => twins.stop());

  for (const operation of absentOnBoxes) {
    it(`${titleOf(operation)} is ${operation.status}`, async () => {
      const { status, headers, body } = await askOne(twins, twins.box, operation);
      expect(status).toBe(operation.status);
      const isNotImplemented = status === 501;
      expect(headers['x-causeway-reason']).toBe(isNotImplemented ? 'not-implemented-self-hosted' : undefined);
      expect(body).toEqual(status === 204 ? null : { message: expect.stringMatching(/./), code: operation.code });
    });
  }

  it('changes nothing there', async () => {
    const { body } = await askOne(twins, twins.box, { ask: 'GET /guilds/{guild}' });
    expect(body).toMatchObject({ name: 'Twin', owner_id: '{owner}' });
  });
});

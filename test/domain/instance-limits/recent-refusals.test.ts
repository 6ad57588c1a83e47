import { expect, it } from 'vitest';
import { RecentRefusals } from '../../../src/domain/instance-limits/recent-refusals.js';
import type { ProcessReports } from '../../../src/infra/processes/reports.js';
import { ManualClock } from '../../harness/clock.js';

const MINUTE = 60_000;

function openRefusals(reports: ProcessReports | null = null) {
  const clock = new ManualClock();
  const refusals = new RecentRefusals({ clock, connectionClock: clock, reports });
  const subjects = async () => (await refusals.list()).map(({ subject }) => subject);
  return { clock, refusals, subjects };
}

it('forgets a subject ten minutes after its last refusal', async () => {
  const { clock, refusals, subjects } = openRefusals();
  refusals.note('SIGN_UPS', '192.0.2.1', 1_000);
  clock.advance(9 * MINUTE);
  refusals.note('SIGN_UPS', '192.0.2.1', 1_000);
  clock.advance(1);
  refusals.note('SIGN_UPS', '192.0.2.2', 1_000);
  clock.advance(9 * MINUTE);
  expect(await refusals.list()).toMatchObject([{ count: 1 }, { count: 2 }]);
  clock.advance(1 * MINUTE + 1);
  expect(await subjects()).toEqual([]);
});

it('forgets a subject that has room again', async () => {
  const { refusals, subjects } = openRefusals();
  refusals.note('IDENTIFIES', '1', 1_000);
  refusals.note('MESSAGES', '1', 1_000);
  refusals.forget('IDENTIFIES', '1');
  expect((await refusals.list()).map(({ kind }) => kind)).toEqual(['MESSAGES']);
  expect(await subjects()).toEqual(['1']);
});

it('remembers the newest 200 subjects of each limit', async () => {
  const { refusals, subjects } = openRefusals();
  refusals.note('GUILDS', '1', null);
  for (let n = 0; n < 500; n += 1) refusals.note('SIGN_UPS', `192.0.${n}`, 1_000);
  const listed = await subjects();
  expect([listed.length, listed.includes('1'), listed.includes('192.0.0'), listed.includes('192.0.499')]).toEqual([
    201,
    true,
    false,
    true,
  ]);
});

it('reports at most once a second', async () => {
  const written: string[] = [];
  const reports = { write: async (text: string) => void written.push(text), ofOthers: async () => [] };
  const { clock, refusals } = openRefusals(reports);
  for (let n = 0; n < 5; n += 1) refusals.note('MESSAGES', String(n), 1_000);
  expect(written).toEqual([]);
  clock.advance(1_000);
  await expect.poll(() => written.length).toBe(1);
  refusals.note('MESSAGES', '5', 1_000);
  clock.advance(1_000);
  await expect.poll(() => written.length).toBe(2);
  expect(JSON.parse(written[1] ?? '')).toHaveLength(6);
});

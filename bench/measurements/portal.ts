import type { Browser } from 'playwright-core';
import { noBrowser, openBrowser } from '../../test/harness/browser.js';
import { type Site, startBare, startPortal } from '../portal/sites.js';
import { renamings, type Slowness, type Visit, visit } from '../portal/visits.js';
import { type Row, rowOfPairs } from '../report.js';
import { percentile } from '../rounds.js';
import { atEnd } from '../scratch.js';

const ROUNDS = 5;
const RENAMINGS_PER_ROUND = 40;

/** Lighthouse's settings for a mid-range phone on a slow mobile network. */
const SLOW: Slowness = {
  cpu: 4,
  network: { latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 },
};

/** A figure of a visit with its targets, at full speed and slowed down. */
interface Figure {
  of: keyof Visit;
  name: string;
  unit: string;
  aims: [plain: string, slow: string];
}

const FIGURES: Figure[] = [
  { of: 'painted', name: 'first contentful paint', unit: 'ms', aims: ['≤ 200 ms', '≤ 1,200 ms'] },
  { of: 'shown', name: 'applications shown', unit: 'ms', aims: ['≤ 600 ms', '≤ 2,500 ms'] },
  { of: 'blocked', name: 'total blocking time', unit: 'ms', aims: ['≤ 50 ms', '≤ 300 ms'] },
  { of: 'shift', name: 'cumulative layout shift', unit: 'score', aims: ['≤ 0.02', '≤ 0.05'] },
  { of: 'opened', name: 'an application opened for the first time', unit: 'ms', aims: ['≤ 200 ms', '≤ 700 ms'] },
  { of: 'openedAgain', name: 'an application opened again', unit: 'ms', aims: ['≤ 50 ms', '≤ 150 ms'] },
];

interface Scene {
  browser: Browser;
  ours: Site;
  bare: Site;
}

/**
 * Waiting times of the portal's pages in Chromium. The baseline is a page with one script that requests its data from a
 * bare server. For all figures, less is better.
 */
export async function portal(): Promise<Row[]> {
  if (noBrowser !== null) {
    console.log(noBrowser);
    return [];
  }
  // The measurement itself handles signals, because it must stop other processes, too.
  const browser = await openBrowser({ handleSIGINT: false, handleSIGTERM: false });
  atEnd(() => browser.close());
  const scene = { browser, ours: await startPortal(), bare: await startBare() };
  try {
    await inTurns(scene, (site) => visit(browser, site, null));
    return [
      ...(await visits(scene, 'portal', null)),
      ...(await visits(scene, 'portal, slowed down', SLOW)),
      await changes(scene),
    ];
  } finally {
    await browser.close();
    await Promise.all([scene.ours.server.stop(), scene.bare.server.stop()]);
  }
}

async function visits(scene: Scene, where: string, slowness: Slowness | null): Promise<Row[]> {
  const rounds: [Visit, Visit][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push(await inTurns(scene, (site) => visit(scene.browser, site, slowness)));
  }
  return FIGURES.map(({ of, name, unit, aims: [plain, slow] }) => {
    const pairs = rounds.map(([ours, bare]): [number, number] => [ours[of], bare[of]]);
    return rowOfRounds(`${where}: ${name}`, unit, slowness ? slow : plain, pairs);
  });
}

async function changes(scene: Scene): Promise<Row> {
  const pairs: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    pairs.push(
      await inTurns(scene, async (site) => percentile(await renamings(scene.browser, site, RENAMINGS_PER_ROUND), 0.95)),
    );
  }
  return rowOfRounds('portal: a name changed in another browser, p95', 'ms', '≤ 300 ms', pairs);
}

async function inTurns<Result>(
  { ours, bare }: Scene,
  measure: (site: Site) => Promise<Result>,
): Promise<[Result, Result]> {
  return [await measure(ours), await measure(bare)];
}

function rowOfRounds(name: string, unit: string, aim: string, pairs: [number, number][]): Row {
  console.log(`${name}, ${unit}: ${pairs.map((pair) => pair.map(short).join('/')).join(', ')}`);
  return rowOfPairs(name, unit, aim, pairs);
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

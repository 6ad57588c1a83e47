import type { Page } from 'playwright-core';

export async function isInMemory(page: Page, text: string): Promise<boolean> {
  const devTools = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  devTools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await devTools.send('HeapProfiler.collectGarbage');
  await devTools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await devTools.detach();
  return chunks.join('').includes(text);
}

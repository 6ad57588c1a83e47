import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { KeyedMutex, Mutex } from '../../../src/infra/concurrency/mutex.js';

test('tasks with one key run one after the other, whatever their outcome, and in parallel to tasks with other keys', async () => {
  const mutex = new KeyedMutex<string>();
  const order: string[] = [];
  const work = (name: string, end?: Promise<void>) => async () => {
    order.push(`${name} begins`);
    await end;
    order.push(`${name} ends`);
    return name;
  };
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = mutex.run('a', work('first', held));
  const failed = mutex.run('a', () => Promise.reject(new Error('no')));
  const second = mutex.run('a', work('second'));
  expect(await mutex.run('b', work('other'))).toBe('other');
  expect(order).toEqual(['first begins', 'other begins', 'other ends']);
  release();
  await expect(failed).rejects.toThrow('no');
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
  expect(order.slice(3)).toEqual(['first ends', 'second begins', 'second ends']);
  expect(await mutex.run('a', work('later'))).toBe('later');
});

test('a task with several keys runs after all tasks with any of them, and before the next task with one of them', async () => {
  const lines = new KeyedMutex<string>();
  const order: string[] = [];
  const releases: (() => void)[] = [];
  const held = (name: string) => async () => {
    await new Promise<void>((resolve) => releases.push(resolve));
    order.push(name);
  };
  const [a, b] = [lines.run('a', held('a')), lines.run('b', held('b'))];
  const both = lines.runInAll(['a', 'b'], async () => void order.push('both'));
  const next = lines.run('b', async () => void order.push('next'));
  releases.pop()?.();
  await b;
  expect(order).toEqual(['b']);
  releases.pop()?.();
  await Promise.all([a, both, next]);
  expect(order).toEqual(['b', 'a', 'both', 'next']);
});

test('all tasks are settled once nothing is running, whatever their outcome', async () => {
  const lines = new KeyedMutex<string>();
  await lines.settled();
  const ended: string[] = [];
  const slow = (name: string) => async () => {
    await setImmediate();
    ended.push(name);
  };
  const failed = expect(lines.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  void lines.run('a', slow('first'));
  void lines.run('a', slow('second'));
  void lines.run('b', slow('other'));
  await lines.settled();
  expect(ended.toSorted()).toEqual(['first', 'other', 'second']);
  await failed;
});

test('a mutex runs one task after the other, whatever their outcome, and waits for the release of one that ends elsewhere', async () => {
  const mutex = new Mutex();
  const order: string[] = [];
  const failed = mutex.run(() => Promise.reject(new Error('no')));
  const taken = mutex.take();
  const last = mutex.run(() => order.push('ran'));
  await expect(failed).rejects.toThrow('no');
  const release = await taken;
  await setImmediate();
  expect(order).toEqual([]);
  release();
  release();
  await last;
  expect(order).toEqual(['ran']);
});

test.each([
  ['mutex', () => new Mutex()],
  ['keyed mutex', () => ({ run: (work: () => Promise<void>) => keyed.run('a', work) })],
])('a task that a running task of a %s begins waits for its end', async (_name, make) => {
  const mutex = make();
  const order: string[] = [];
  let inner: Promise<void> | undefined;
  await mutex.run(async () => {
    inner = mutex.run(async () => void order.push('inner'));
    await setImmediate();
    order.push('outer');
  });
  await inner;
  expect(order).toEqual(['outer', 'inner']);
});

const keyed = new KeyedMutex<string>();

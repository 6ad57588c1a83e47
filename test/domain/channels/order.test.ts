import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChannelPosition, movesOf, type Placed } from '../../../src/domain/channels/order.js';

const position = fc.integer({ min: 0, max: 20 });
const category = fc.option(fc.bigInt({ min: 100n, max: 103n }), { nil: null });

const channels = fc.uniqueArray(fc.record({ id: fc.bigInt({ min: 1n, max: 30n }), position, parentId: category }), {
  selector: ({ id }) => id,
  maxLength: 20,
});

const positions = fc.array(
  fc.record<ChannelPosition>(
    { channelId: fc.bigInt({ min: 1n, max: 40n }), position: fc.option(position), parentId: category },
    { requiredKeys: ['channelId'] },
  ),
  { maxLength: 30 },
);

const applied = (before: Placed[], stated: ChannelPosition[]): Placed[] => {
  const moves = new Map(movesOf(before, stated).map((move) => [move.channel.id, move]));
  return before.map((channel) => {
    const move = moves.get(channel.id);
    return move ? { id: channel.id, position: move.position, parentId: move.parentId } : channel;
  });
};

const inOrder = (placed: Placed[]) =>
  placed.toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1)).map(({ id }) => id);

const check = (property: (before: Placed[], stated: ChannelPosition[]) => void) =>
  fc.assert(fc.property(channels, positions, property));

describe('the sorting of channels', () => {
  test('applies the last value for each channel and keeps the others', () => {
    check((before, stated) => {
      for (const channel of applied(before, stated)) {
        const old = before.find(({ id }) => id === channel.id)!;
        const own = stated.filter(({ channelId }) => channelId === channel.id);
        const lastPosition = own.findLast((one) => one.position != null)?.position;
        const lastParent = own.findLast((one) => one.parentId !== undefined)?.parentId;
        expect(channel.position).toBe(lastPosition ?? old.position);
        expect(channel.parentId).toBe(lastParent === undefined ? old.parentId : lastParent);
      }
    });
  });

  test('reports exactly the moved channels, and moves none if repeated', () => {
    check((before, stated) => {
      for (const { channel, position: to, parentId } of movesOf(before, stated)) {
        expect(to !== channel.position || parentId !== channel.parentId).toBe(true);
      }
      expect(movesOf(applied(before, stated), stated)).toEqual([]);
    });
  });

  test('results in the requested order', () => {
    fc.assert(
      fc.property(
        channels.chain((before) =>
          fc.tuple(fc.constant(before), fc.shuffledSubarray(before, { minLength: before.length })),
        ),
        ([before, wanted]) => {
          const stated = wanted.map(({ id }, index) => ({ channelId: id, position: index }));
          expect(inOrder(applied(before, stated))).toEqual(wanted.map(({ id }) => id));
        },
      ),
    );
  });

  test('does not modify its input', () => {
    check((before, stated) => {
      const copy = structuredClone(before);
      movesOf(before, stated);
      expect(before).toEqual(copy);
    });
  });
});

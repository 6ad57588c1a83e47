import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventLog, type LoggedEvent } from '../../../src/relay/box/event-log.js';
import { EventSender } from '../../../src/relay/box/event-sender.js';
import type { ToCloud } from '../../../src/relay/protocol/messages.js';

const event = (text: string): LoggedEvent => ({ op: 'dispatch', t: 'TYPING_START', data: JSON.stringify({ text }) });

describe('R-30, R-31: the event log', () => {
  it('ends if too many events wait', () => {
    const log = new EventLog({ entries: 2, bytes: 10_000 });
    log.begin('s');
    expect([log.append(event('1')), log.append(event('2')), log.append(event('3'))]).toEqual([true, true, false]);
    expect(log.session).toBeNull();
    expect(log.canResume('s', 2)).toBe(false);
  });

  it('resumes its own session only, after a number from which all events are there', () => {
    const log = new EventLog();
    log.begin('s');
    for (const text of ['1', '2', '3']) log.append(event(text));
    log.acknowledge(2);
    expect([0, 1, 2, 3, 4].map((s) => log.canResume('s', s))).toEqual([false, false, true, true, false]);
    expect(log.canResume('t', 2)).toBe(false);
  });

  it('sends every event once, in order, whatever the order of events, acknowledgements and lost connections', () => {
    const step = constantFrom('event', 'ack', 'lose');
    assert(
      property(array(step, { maxLength: 60 }), (steps) => {
        const log = new EventLog();
        log.begin('s');
        const worked: number[] = [];
        let arrived: number[] = [];
        const connect = () => {
          const seq = worked.length;
          expect(log.canResume('s', seq)).toBe(true);
          log.acknowledge(seq);
          const sender = new EventSender(log, (message: ToCloud) => arrived.push('s' in message ? message.s : 0), seq);
          sender.pump();
          return sender;
        };
        let sender = connect();
        for (const one of steps) {
          if (one === 'event') {
            log.append(event('x'));
            sender.pump();
          } else if (one === 'ack') {
            worked.push(...arrived.splice(0));
            sender.acknowledge(worked.length);
          } else {
            sender.stop();
            arrived = [];
            sender = connect();
          }
        }
        worked.push(...arrived);
        expect(worked).toEqual(Array.from({ length: log.last }, (_none, index) => index + 1));
      }),
    );
  });

  it('R-30: has no more unacknowledged events than a cloud accepts', () => {
    const log = new EventLog();
    log.begin('s');
    for (let n = 0; n < 6_000; n += 1) log.append(event('x'));
    const sent: ToCloud[] = [];
    const sender = new EventSender(log, (message) => void sent.push(message), 0);
    sender.pump();
    expect(sent.length).toBeLessThan(5_000);
    while (sent.length < 6_000) sender.acknowledge(sent.length);
    expect(sent).toHaveLength(6_000);
  });
});

import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { BoxMessage, CloudMessage, UpkeepMessage } from '../../../src/relay/protocol/messages.js';
import { CONVERSATIONS, readConversation } from '../../harness/conversations.js';
import { boxEnd, cloudEnd } from '../../harness/link-ends.js';

/** Ops of later versions, unknown to this one. */
const UNKNOWN_OPS = ['fold', 'notice'];

describe.each(CONVERSATIONS)('the recorded conversation %s', (name) => {
  const frames = readConversation(name);
  const texts = frames.flatMap(({ from, message }) =>
    typeof message === 'string' ? [{ from, value: JSON.parse(message) }] : [],
  );

  it('has messages that both ends can parse', () => {
    for (const { from, value } of texts.filter(({ value: { op } }) => !UNKNOWN_OPS.includes(op))) {
      const { error } = UpkeepMessage.or(from === 'box' ? BoxMessage : CloudMessage).safeParse(value);
      expect({ value, error }).toEqual({ value, error: undefined });
    }
  });

  it('obeys the limits of pieces, lengths and credit, and the answers to unknown ops', () => {
    const ends = { box: boxEnd(), cloud: cloudEnd() };
    const welcome = texts.find(({ value }) => value.op === 'welcome')?.value.limits;
    const limits = { streamCredit: welcome?.stream_credit ?? 0, boxCredit: welcome?.box_credit ?? 0 };
    for (const { link } of Object.values(ends)) link.allow(limits);
    for (const { from, message } of frames) {
      const { link } = from === 'box' ? ends.cloud : ends.box;
      if (typeof message === 'string') link.text(message);
      else link.bytes(message);
    }
    for (const [name, { wire, bodies }] of Object.entries(ends)) {
      expect(wire.closedWith).toBeNull();
      const unknown = texts.filter(({ from, value }) => from === name && value.op === 'unknown' && value.was);
      expect(wire.messages.filter(({ op }) => op === 'unknown')).toEqual(unknown.map(({ value }) => value));
      for (const body of bodies.values()) expect(body.errored ?? 'whole').toSatisfy(isWholeOrBrokenOff);
    }
  });

  it('R-13: has a signature by the key of the handshake', () => {
    const said = Object.fromEntries(texts.map(({ value }) => [value.op, value]));
    if (!said.proof) return;
    const signed = `causeway relay 1\n${said.challenge.nonce}\n${said.hello.key}\n${said.challenge.origin}`;
    const [signature, key] = [said.proof.signature, said.hello.key].map((text) => Buffer.from(text, 'base64url'));
    expect(nacl.sign.detached.verify(Buffer.from(signed), signature!, key!)).toBe(true);
  });
});

function isWholeOrBrokenOff(outcome: Error | 'whole'): boolean {
  return outcome === 'whole' || outcome.message.includes('interrupted');
}

import { isUtf8 } from 'node:buffer';
import { parseBounded } from '../../../infra/network/bounded-json.js';
import { ANSWER_BOUNDS } from '../../protocol/messages.js';
import { type BoxAnswer, BoxError } from '../forwarding/transport.js';
import { namesOnlyItsOwn, type OwnNames } from '../own-names.js';

/**
 * Checks that a box's response can be passed on (docs/relay.md, R-21, R-35). Serializes its body again, because only
 * one of duplicate keys is checked.
 * @throws BoxError `undecodable`
 */
export async function readAnswer(answer: BoxAnswer, own: OwnNames): Promise<BoxAnswer> {
  if (answer.body.length === 0) return answer;
  if (answer.status === 204) throw undecodable('a body with the status 204');
  const value = parse(answer.body);
  const foreign = await namesOnlyItsOwn(value, own);
  if (foreign !== null) throw undecodable(`a body that ${foreign}`);
  return { ...answer, body: Buffer.from(JSON.stringify(value)) };
}

/** @throws BoxError `undecodable` */
function parse(body: Buffer): unknown {
  try {
    if (!isUtf8(body)) throw new SyntaxError('the text is not UTF-8');
    return parseBounded(body.toString(), ANSWER_BOUNDS);
  } catch (cause) {
    throw undecodable('a body that is not JSON in UTF-8 or exceeds the limits', { cause });
  }
}

function undecodable(what: string, options?: ErrorOptions): BoxError {
  return new BoxError('undecodable', what, options);
}

import type { AppContext } from '../../../context.js';
import { disconnectBox } from '../../../domain/boxes/index.js';
import { publishUnavailable } from './absences.js';

/** If several processes run this, only one notifies bots about each box. */
export async function endConnectionsOf(app: AppContext, processId: string): Promise<void> {
  const held = { where: { holderId: processId }, select: { id: true, generation: true } };
  for (const { id, generation } of await app.db.reader.box.findMany(held)) {
    if (await disconnectBox(app.callOfNobody(), { boxId: id, generation })) await publishUnavailable(app, id);
  }
}

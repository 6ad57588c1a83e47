import type { AppContext } from '../../context.js';
import { disconnectBox } from '../../domain/boxes/index.js';
import { tellUnavailable } from './absences.js';

/** Boxes whose connections went with a process are away. Of several processes that see to it at once, one tells of each. */
export async function endConnectionsOf(app: AppContext, processId: string): Promise<void> {
  const held = { where: { holderId: processId }, select: { id: true, generation: true } };
  for (const { id, generation } of await app.db.reader.box.findMany(held)) {
    if (await disconnectBox(app.callOfNobody(), { boxId: id, generation })) await tellUnavailable(app, id);
  }
}

export { accessBox, accessBoxGuild, visibleBoxes } from './access.js';
export { admitBox } from './admit.js';
export {
  type AnnouncedGuild,
  announceGuild,
  forgetChannel,
  noteChannel,
  noteGuild,
} from './announce.js';
export { countBoxesAway } from './away.js';
export { type BoxClient, BoxClientRef, type BoxQuestions, type BoxRefusalCode, BoxRefused } from './client.js';
export { boxHolder, connectBox, disconnectBox, livingProcesses } from './connections.js';
export { BoxSettings, type BoxWithToken, createBox } from './create.js';
export { deleteBox } from './delete.js';
export { botsOfGuild, guildsOfBox } from './guilds.js';
export { BoxMeasures } from './measures.js';
export type { ParityRow } from './parity.js';
export { type BoxPicture, BoxPictures, MAX_PICTURE_BYTES } from './pictures.js';
export { type BoxRoute, BoxRoutes } from './routes.js';
export { addedOfBoxes, type BoxStatistics, hoursOfBoxes, ROWS_PER_BOX, statisticsOf } from './statistics.js';
export { newEnrolmentToken, renameBox } from './update.js';
export { keepGuilds, withdrawGuild } from './withdraw.js';

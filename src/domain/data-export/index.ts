export { exportEntries } from './contents.js';
export type { ExportEntry } from './entries.js';
export {
  type DataExport,
  type ExportedFor,
  type ExportFigures,
  exportPerson,
  figuresOfExport,
  isExportable,
  requestDataExport,
} from './request.js';

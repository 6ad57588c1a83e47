export { deletePerson } from './operator.js';
export { DeleteAccount, deleteAccount, getOwnDeletion, keepAccount, type OwnDeletion } from './own.js';
export { type DeletionProgress, getDeletionProgress } from './progress.js';

export { operatorRoleOf, type PersonAccount } from './access.js';
export {
  getApplication,
  listApplications,
  type OwnedApplication,
  restoreApplication,
  suspendApplication,
} from './applications.js';
export { expelBox, listBoxes, type OwnedBox } from './boxes.js';
export {
  createInvitation,
  listInvitations,
  MAX_INVITATIONS,
  type MadeInvitation,
  NewInvitation,
  revokeInvitation,
} from './invitations.js';
export {
  type LimitValues,
  listLimits,
  listRefusals,
  MAX_SUBJECTS,
  NewLimit,
  nameSubjects,
  type SubjectValue,
  setLimit,
} from './limits.js';
export {
  createPasswordLink,
  figuresOf,
  getPerson,
  listPeople,
  type PersonFigures,
  restorePerson,
  signOutPerson,
  suspendPerson,
} from './people.js';
export { RecentSuspensions } from './recent-suspensions.js';
export { listOperators, setOperatorRole } from './roles.js';
export {
  deleteServer,
  figuresOfServer,
  getServer,
  listServers,
  type OwnedGuild,
  type ServerFigures,
  transferServer,
} from './servers.js';
export { claimInstance, openSetup } from './setup.js';

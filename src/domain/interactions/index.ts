export { takeForGateway } from './delivery/deliver.js';
export type { EndpointOutcome, Endpoints } from './delivery/endpoint.js';
export { failureAt, nextOverdue, OverdueInteractions, settleOverdue } from './delivery/overdue.js';
export { findInteractionFile } from './files.js';
export {
  autocompleteCommand,
  invokeCommand,
  requireInvoking,
  requireSubmitting,
  submitModal,
  useComponent,
} from './invoke.js';
export { listInteractions } from './list.js';
export type { Callback, InteractionProgress, InteractionRecord, OfferedChoice } from './record.js';
export { autocompleteRequest, commandRequest } from './requests/command-requests.js';
export { componentRequest } from './requests/component-requests.js';
export { ChosenValues, InvokedOptions, SubmittedComponents } from './requests/input.js';
export { modalRequest } from './requests/modal-requests.js';
export type { ChannelShown, InteractionRequest, MemberShown, Resolved } from './requests/request.js';
export { accessInteraction, actorOfCallback, actorOfFollowUp } from './responses/access.js';
export { type Answer, answerByToken } from './responses/answers.js';
export { type AnswerKey, createFollowUp, deleteAnswer, editAnswer, getAnswer } from './responses/responses.js';
export { stateAt } from './states.js';
export { noteRefusedAnswer } from './steps.js';

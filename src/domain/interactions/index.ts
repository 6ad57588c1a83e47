export { accessInteraction, actorOfCallback, actorOfFollowUp } from './access.js';
export { type Answer, answerByToken } from './answers.js';
export { autocompleteRequest, commandRequest } from './command-requests.js';
export { componentRequest } from './component-requests.js';
export { takeForGateway } from './deliver.js';
export type { EndpointOutcome, Endpoints } from './endpoint.js';
export { findInteractionFile } from './files.js';
export { ChosenValues, InvokedOptions, SubmittedComponents } from './input.js';
export {
  autocompleteCommand,
  invokeCommand,
  requireInvoking,
  requireSubmitting,
  submitModal,
  useComponent,
} from './invoke.js';
export { listInteractions } from './list.js';
export { modalRequest } from './modal-requests.js';
export { failureAt, nextOverdue, OverdueInteractions, settleOverdue } from './overdue.js';
export type { Callback, InteractionProgress, OfferedChoice } from './record.js';
export type { ChannelShown, InteractionRequest, MemberShown, Resolved } from './request.js';
export { type AnswerKey, createFollowUp, deleteAnswer, editAnswer, getAnswer } from './responses.js';
export { stateAt } from './states.js';
export { noteRefusedAnswer } from './steps.js';

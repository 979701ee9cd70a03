export {
  answerColumn,
  type AnswerColumnName,
  answerColumnsIn,
  answerHeading,
  answerKinds,
  type AnswerLine,
  answerReplyName,
  supportSentence,
  supportText,
} from '@kindred/kernels/answer';
export { roundedProbability } from '@kindred/kernels/combined/vocabulary';

export {
  answerColumn,
  type AnswerColumnName,
  answerColumnsIn,
  answerHeading,
  answerKinds,
  type AnswerLine,
  answerReplyName,
} from '@kindred/kernels/answer';

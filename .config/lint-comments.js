/** A rule for oxlint: a comment begins with its subject, for example "Cursor: the sort value and the id." */
const INVERTED = /^(?:Of|That|Those|The same|What)\b/;

const subjectFirst = {
  create: (context) => ({
    Program() {
      let previousLine = 0;
      for (const comment of context.sourceCode.getAllComments()) {
        const { start, end } = comment.loc;
        // The second line of a comment goes on with the sentence of the first.
        const continues = comment.type === 'Line' && start.line === previousLine + 1;
        previousLine = comment.type === 'Line' ? end.line : 0;
        const [word] = INVERTED.exec(comment.value.replace(/^[\s*]+/, '')) ?? [];
        if (word === undefined || continues) continue;
        context.report({
          loc: comment.loc,
          message: `A comment begins with its subject, not with "${word}".`,
        });
      }
    },
  }),
};

export default { meta: { name: 'comments' }, rules: { 'subject-first': subjectFirst } };

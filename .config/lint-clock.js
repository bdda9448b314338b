/** A rule for oxlint: `new Date()` without arguments reads the time. */
const noNewDate = {
  create: (context) => ({
    NewExpression(node) {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'Date' || node.arguments.length > 0)
        return;
      context.report({ node, message: 'Only the clock reads the time.' });
    },
  }),
};

export default { meta: { name: 'clock' }, rules: { 'no-new-date': noNewDate } };

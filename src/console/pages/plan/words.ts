import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  again: ['Plan again', 'Planejar de novo'],
  applied: ['Applied: show the job', 'Aplicado: mostrar a tarefa'],
  apply: ['Apply', 'Aplicar'],
  broken: ['This is neither YAML nor JSON.', 'Isto não é YAML nem JSON.'],
  differences: ['What would change', 'O que mudaria'],
  document: ['Document', 'Documento'],
  documentHelp: [
    'All that the document does not name stays as it is.',
    'O que ele não cita permanece como está.',
  ],
  file: ['Or a file', 'Ou um arquivo'],
  format: ['Format', 'Formato'],
  losing: ['Terminals that lose app versions:', 'Terminais que perdem versões de aplicativos:'],
  nothing: ['Nothing: all is as the document says.', 'Nada: tudo está como o documento diz.'],
  read: ['Read into the document', 'Ler para o documento'],
  saveFile: ['Save as a file', 'Salvar como arquivo'],
  see: ['See what would change', 'Ver o que mudaria'],
  terminals: ['Terminals:', 'Terminais:'],
  today: ['State of today', 'Estado de hoje'],
  undoPlan: ['Undo: see what that would change', 'Desfazer: ver o que isso mudaria'],
});

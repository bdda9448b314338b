import { useTexts } from '../../text';
import { pageWords } from '../../ui/words';

const words = pageWords({
  addVersion: ['Add version', 'Adicionar versão'],
  all: ['All logical numbers', 'Todos os números lógicos'],
  attach: ['New numbers of the group get it, too', 'Números novos do grupo também a recebem'],
  bytecode: ['Program file', 'Arquivo do programa'],
  bytecodeHelp: ['The file that terminals download.', 'O arquivo que os terminais baixam.'],
  content: ['New content', 'Novo conteúdo'],
  contentHelp: ['Without a file, the content stays.', 'Sem um arquivo, o conteúdo permanece.'],
  createFirst: [
    'No apps yet. Create one, and upload its first version.',
    'Nenhum aplicativo ainda. Crie um e envie a primeira versão.',
  ],
  current: ['Have it as it is now', 'Têm a versão atual'],
  displayable: ['Shown on the terminal', 'Mostrado no terminal'],
  downloaded: ['Downloaded it', 'Baixaram'],
  examples: [(names: string) => `for example ${names}`, (names: string) => `por exemplo ${names}`],
  fileType: ['Type', 'Tipo'],
  format: ['Protocol', 'Protocolo'],
  granted: ['Are to have it', 'Devem ter'],
  label: ['Label on the terminal', 'Rótulo no terminal'],
  modules: ['Modules', 'Módulos'],
  noModules: ['No modules.', 'Nenhum módulo.'],
  newApp: ['New app', 'Novo aplicativo'],
  noFiles: [
    'No files yet. Upload one, then add it to an app version.',
    'Nenhum arquivo ainda. Envie um e adicione-o a uma versão.',
  ],
  noGroups: ['No group gets it.', 'Nenhum grupo a recebe.'],
  noVersions: [
    'No versions yet. Upload the program file of the first one.',
    'Nenhuma versão ainda. Envie o arquivo do programa da primeira.',
  ],
  number: ['Version', 'Versão'],
  numberHelp: ['For example 1.2.0', 'Por exemplo 1.2.0'],
  reach: ['Terminals', 'Terminais'],
  reachHelp: ['Followed while this panel is open.', 'Acompanhado enquanto este painel está aberto.'],
  release: ['Release', 'Liberar'],
  releaseCount: [
    (count: string) => `Goes to ${count} logical numbers`,
    (count: string) => `Vai para ${count} números lógicos`,
  ],
  released: [
    (count: string) => `Released to ${count} logical numbers`,
    (count: string) => `Liberada para ${count} números lógicos`,
  ],
  releaseTitle: [(name: string) => `Release ${name}`, (name: string) => `Liberar ${name}`],
  replace: ['Take older versions of the app away', 'Retirar versões anteriores do aplicativo'],
  target: ['To whom', 'Para quem'],
  upload: ['Upload file', 'Enviar arquivo'],
  versions: ['Versions', 'Versões'],
  ASSET: ['Asset', 'Recurso'],
  TORRENT: ['Torrent', 'Torrent'],
  MODULE: ['Module', 'Módulo'],
  STANDARD: ['Standard', 'Padrão'],
});

export const useText = () => useTexts(words);

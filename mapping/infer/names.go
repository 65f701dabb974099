package infer

import (
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

// concepts maps each concept to the words for it in headers: in English, Spanish, French, German, Italian and
// Portuguese, with abbreviations that exports use, without accents, and the usual words of Chinese, Japanese and
// Korean. The names of fields (below) are made of concepts, so that each language needs its words only once.
var concepts = map[string]string{
	"application":  "application appl app filing filed serial solicitud solicitado presentacion demande depot depose anmeldung anmelde angemeldet deposito depositata domanda pedido 出願 申请 申請 출원",
	"registration": "registration registered reg regn registro registrado enregistrement enregistre eintragung eintrag eingetragen register registrazione registrata registo registado 登録 注册 註冊 登记 등록",
	"publication":  "publication published pub publicacion publicado publie veroffentlichung veroffentlicht pubblicazione pubblicata publicacao 公告 公開 公布 공고 공개",
	"expiry":       "expiry expiration expire expires expired exp vencimiento caducidad expiracion echeance expire ablauf schutzende schutzablauf schutzfristende schutzfrist schutzdauer scadenza vencimento validade 満了 存続期間満了 到期 届满 屆滿 有效期 有效期限 有効期限 만료",
	"renewal":      "renewal renovacion renouvellement verlangerung rinnovo renovacao 更新 续展 續展 갱신",
	"grant":        "grant granted concesion concedida delivrance erteilung concessione concessao",
	"declaration":  "declaration dau declaracion erklarung dichiarazione declaracao",
	"action":       "action oficial bescheid",
	"final":        "final definitiva endgultig finale",
	"status":       "status state estado situacion statut etat stand stato situacao situation zustand 状态 狀態 状況 ステータス 상태",
	"date":         "date dt fecha f datum data dia tag jour 日期 日 年月日 일자 일 날짜",
	"number":       "number no n nr num numero nummer nbr numer 番号 号 號 号码 编号 編號 번호",
	"mark":         "mark marks trademark tm marca marcas marchio marchi marque marke marken brand zeichenwort 商标 商標 상표",
	"text":         "text wording word denomination denominacion wortlaut verbal texto texte testo 文字",
	"name":         "name nombre nom nome bezeichnung denominazione 名称 名稱 名 명칭 명 이름",
	"title":        "title titulo titre titel titolo betreff subject asunto objet oggetto assunto 件名 标题 標題 제목",
	"description":  "description descripcion beschreibung descrizione descricao",
	"matter":       "matter case file akte akten fall expediente dossier affaire sache pratica fascicolo processo caso 案件 案 事件 사건",
	"folder":       "folder ordner carpeta cartella pasta chemise mappe portfolio フォルダ 文件夹 文件夾 폴더",
	"reference":    "reference ref referencia riferimento referenz zeichen docket cote 整理 参照 参考 관리",
	"filenumber":   "aktenzeichen aktz az", // of the firm or of the office: the other columns show which
	"id":           "id identifier guid uuid identificador identifiant identificativo kennung key",
	"code":         "code cd codigo codice",
	"our":          "our unser unsere nuestra notre nostro nossa internal custom 本所 我方 当所 弊所",
	"client":       "client clients customer cliente clientes mandant kunde klient mandante 客户 客戶 顧客 依頼人 委托人 クライアント 고객 의뢰인",
	"agent":        "agent",
	"proxy":        "representative representante mandataire vertreter rappresentante agente 代理人 代理机构 代理機構 대리인",
	"party":        "actor party",
	"lawyer":       "responsible attorney lawyer abogado abogada letrado avocat anwalt anwaltin avvocato advogado assigned handler supervisor responsable verantwortlich verantwortlicher responsabile responsavel solicitor timekeeper earner user 律师 律師 弁護士 弁理士 변호사 변리사",
	"handler":      "sachbearbeiter sachbearbeiterin bearbeiter tramitador clerk paralegal 担当者 担当 承办人 承辦人 经办人 담당자",
	"other":        "other others co additional otros autres weitere altri outros",
	"type":         "type kind tipo typ art genre 类型 類型 種別 유형",
	"template":     "template vorlage plantilla modele modello modelo",
	"practice":     "practice area fachgebiet",
	"class":        "class classes clase clases classe klasse klassen cl tmcl nice nizza 类别 類別 区分 类 類 류",
	"goods":        "goods services productos servicios produits waren dienstleistungen warenverzeichnis verzeichnis prodotti servizi produtos servicos specification 指定商品 商品 役務 指定役務 服务 지정상품 상품",
	"language":     "language lang langue idioma sprache lingua 语言 語言 言語 언어",
	"registry":     "registry office oficina amt ufficio instituto jurisdiction jurisdiccion juridiction",
	"country":      "country territory pais pays land paese 国家 國家 国 국가",
	"address":      "address postcode zip city region street town domicilio direccion adresse anschrift plz ort indirizzo endereco",
	"notes":        "note notes remark remarks comment comments observaciones observacion notas bemerkung bemerkungen anmerkung anmerkungen remarque remarques commentaire commentaires osservazioni observacoes 備考 备注 備註 비고",
	"feature":      "feature caracteristica caracteristique merkmal caratteristica",
	"image":        "image logo picture imagen bild immagine imagem",
	"link":         "url link hyperlink enlace lien",
	"tags":         "tags keyword keywords stichwort stichworte schlagworte etiquetas etiquettes etichette",
	"active":       "active aktiv activo activa actif attivo ativo",
	"inactive":     "inactive inaktiv inactivo inactiva inactif inattivo inativo",
	"closed":       "closed close closing cerrado cierre cloture geschlossen abgeschlossen erledigt chiuso chiusura fechado encerrado",
	"first":        "first given forename vorname prenom",
	"middle":       "middle",
	"last":         "last surname family nachname apellido apellidos cognome sobrenome",
	"company":      "company firm organisation organization firma empresa societe azienda",
	"person":       "person",
	"owner":        "owner holder proprietor applicant titular titulaire inhaber titolare 申请人 申請人 出願人 権利者 权利人 출원인 권리자",
}

// qualifiers are words that change what a header means: the number of a priority is not an application number, and the
// deadline of a filing is not an application date.
var qualifiers = table.Words("priority prioridad priorite prioritat priorita prioridade previous prior parent related associated subsequent " +
	"prospective basis billing banner forced import alt alternative cancel abandon opposition opposit examiner exm attn agreed " +
	"vat opp seniority earlier basic madrid cancelled cancellation withdrawn refused abandoned assignment until widerspruch widerspruchsfrist " +
	"order series amount balance rate invoice conflict conflicts fee fees paid pay payable payment payments deadline limit reminder remind instruction instructions instructed notice response " +
	"review licence license licensee poa grace receipt opposed opponent expected estimated anticipated target planned overdue " +
	"plazo limite recordatorio instruccion instrucciones pago pagado pagada tasa tasas factura revision aviso respuesta licencia gracia recibo oponente previsto prevista esperado esperada " +
	"delai rappel paye payee paiement taxe taxes facture avis reponse recu prevu prevue " +
	"frist fristende erinnerung anweisung bezahlt zahlung gebuhr gebuhren rechnung prufung hinweis antwort erwiderung lizenz vollmacht quittung erwartet geplant wiedervorlage " +
	"termine promemoria istruzione istruzioni pagato pagata pagamento tassa tasse fattura revisione avviso risposta licenza grazia ricevuta procura atteso " +
	"prazo lembrete instrucao instrucoes pagamento taxa fatura revisao resposta licenca procuracao 納付 缴费 繳費 通知 납부 통지")

// dueWords are qualifiers, except beside a renewal: the day on which a renewal is due is the day on which the
// protection ends.
var dueWords = table.Words("due next fallig falligkeit nachste nachster prochain prochaine proxima proximo prossimo prossima 期限 기한")

// negations reverse "active", and change the meaning of any other word. So do "no", which elsewhere means number, and
// "in", but only before "active".
var negations = table.Words("not non nicht kein keine pas sin sem sans senza ohne without never nao")

// stopWords say nothing about what a column holds.
var stopWords = table.Words("of the de la le les du des der die das del della dello delle dei degli di do da d l il lo al for y et und e on am im a in is ist flag trade display の")

// compounds are the ends of words that are written together: Anmeldetag, caseref.
var compounds = []string{"nummer", "datum", "zeichen", "name", "tag", "ref", "typ", "art", "nr"}

// named is a name of a field, in concepts. weight says how surely a column of that name holds the field, up to 1.
type named struct {
	concepts string
	weight   float64
}

// names lists what exports call the fields of each operation. A field of an entry has its list's name in front.
var names = map[payload.Operation]map[string][]named{
	payload.CreateCase: {
		"name":              matterNames,
		"number":            matterNumbers,
		"active":            slices.Concat(activeNames, inactiveNames),
		"file_template_id":  templateNames,
		"user_id":           userNames,
		"client_id":         clientNames,
		"other_supervisors": otherUserNames,
	},
	payload.CreateFolder: {
		"name":                   {{"folder name", 1}, {"folder", .95}, {"folder title", .9}},
		"client_id":              clientNames,
		"files.name":             matterNames,
		"files.number":           matterNumbers,
		"files.user_id":          userNames,
		"files.file_status_id":   statusNames,
		"files.file_template_id": templateNames,
	},
	payload.UpdateCase: {
		"id":                {{"matter id", .9}, {"id", .8}},
		"name":              matterNames,
		"file_status_id":    statusNames,
		"file_client_id":    clientNames,
		"tags":              {{"tags", 1}},
		"other_supervisors": otherUserNames,
		"user_id":           userNames,
		"number":            matterNumbers,
		"active":            slices.Concat(activeNames, inactiveNames),
	},
	payload.UpdateTrademark: {
		"id":                       {{"mark id", .9}, {"id", .8}},
		"registry_id":              {{"registry", 1}, {"registration registry", .9}, {"country", .75}, {"country code", .75}},
		"mark_text":                {{"mark text", 1}, {"mark name", 1}, {"mark", .95}, {"text", .7}, {"title", .6}, {"name", .5}},
		"application_number":       {{"application number", 1}, {"application id", .9}, {"application", .7}, {"filenumber", .75}, {"mark number", .6}, {"mark id", .55}, {"mark", .3}},
		"application_date":         {{"application date", 1}, {"application", .85}},
		"registration_number":      {{"registration number", 1}, {"registration id", .9}, {"registration", .7}},
		"registration_date":        {{"registration date", 1}, {"registration", .85}},
		"status_date":              {{"status date", 1}},
		"mark_feature":             {{"mark feature", 1}, {"feature", .9}},
		"status":                   {{"mark status", 1}, {"status", 1}},
		"registration_type_id":     {{"registration type", 1}, {"application type", .8}},
		"trademark_type_id":        {{"mark type", 1}, {"type", .7}},
		"expiry_date":              {{"expiry date", 1}, {"expiry", .95}, {"renewal date", .8}, {"renewal", .7}},
		"publication_date":         {{"publication date", 1}, {"publication", .85}},
		"declaration_date":         {{"declaration date", 1}, {"declaration", .8}},
		"office_action_date":       {{"registry action date", 1}, {"registry action", .8}},
		"final_office_action_date": {{"final registry action date", 1.1}, {"final registry action", .9}, {"final action date", .9}},
		"grant_date":               {{"grant date", 1}, {"grant", .85}},
		"client_agent_id": {{"client", 1.05}, {"client name", 1.05}, {"client number", 1.02}, {"agent", 1}, {"agent name", 1},
			{"proxy", .85}, {"proxy name", .85}, {"client person name", .9}, {"party name", .7}},
		"publication_notes": {{"publication notes", 1}},
		"image_url":         {{"image link", 1}, {"image", .9}},
		"notes":             {{"notes", 1}},
		languageField:       {{"language", 1}, {"language code", 1}, {"goods language", 1}},
	},
}

var (
	matterNames   = []named{{"matter name", 1}, {"matter title", 1}, {"matter description", .95}, {"name", .85}, {"title", .85}, {"description", .8}, {"matter", .75}}
	matterNumbers = []named{{"our reference", 1}, {"matter number", 1}, {"matter id", .95}, {"matter code", .95}, {"matter reference", .95}, {"our number", .95}, {"number", .9},
		{"reference", .9}, {"reference number", .9}, {"our filenumber", 1}, {"filenumber", .93}, {"id", .7}, {"client matter number", .95}, {"client id", .5}, {"matter", .45}}
	activeNames    = []named{{"active", 1}, {"active number", 1}, {"matter active", 1}, {"matter status", .95}, {"status", .9}} // the N of Active (Y/N) reads as a number
	inactiveNames  = []named{{"inactive", .85}, {"inactive number", .85}, {"matter inactive", .85}, {"closed", .8}, {"closed number", .8}, {"matter closed", .8}}
	statusNames    = []named{{"matter status", 1}, {"status", 1}}
	templateNames  = []named{{"matter template", 1}, {"template", 1}, {"matter type", .9}, {"practice", .8}, {"type", .7}}
	userNames      = []named{{"lawyer", 1}, {"lawyer name", .95}, {"handler", .85}, {"handler name", .8}, {"owner", .7}}
	otherUserNames = []named{{"other lawyer", 1}}
	clientNames    = []named{{"client name", 1}, {"client person name", .9}, {"client", 1}, {"client company name", .95}, {"client company", .95}, {"client number", .92}, {"client code", .92}, {"client id", .9}}
)

// languageField is the language of the entries of goods and services. It gets a column in the same way as the fields of
// the mark.
const languageField = payload.Goods + ".language"

// keyNames are the names for the reference of a mark. Without a reference the application number is the key.
var keyNames = []named{{"our reference", 1}, {"matter reference", .95}, {"reference", .9}, {"reference number", .9}, {"matter number", .85}, {"matter id", .85},
	{"mark reference", .9}, {"our filenumber", 1}, {"filenumber", .85}, {"matter", .6}}

// activeWords are states of a case that say whether it is active, folded.
var activeWords = map[bool]map[string]bool{
	true: table.Words("open opened active pending live current reopened abierto activo pendiente vigente en_tramite ouvert actif en_cours offen aktiv laufend " +
		"aperto attivo pendente aberto ativo"),
	false: table.Words("closed inactive archived dead dormant lapsed cerrado inactivo archivado baja ferme inactif archive clos geschlossen inaktiv abgelegt " +
		"erledigt beendet chiuso inattivo archiviato fechado inativo arquivado encerrado"),
}

// footerWords begin the lines below a table: who printed it, the page, what it is.
var footerWords = table.Words("page seite pagina printed gedruckt impreso imprime stampato generated erstellt generado genere generato created exported exportiert exportado report " +
	"bericht informe end ende fin fine confidential vertraulich confidencial confidentiel source quelle fuente copyright © * ** records datensatze registros")

// noValues are the texts that exports write for an empty cell.
var noValues = table.Words(`null (null) \n n/a #n/a n.a. n/d nan nat none (none) nil - -- --- (blank) (empty) k.a. なし 無 无 없음`)

// litigants are the parties of a lawsuit, which has a filing date and a number as a mark does.
var litigants = table.Words("petitioner petitioners respondent respondents plaintiff plaintiffs defendant defendants appellant appellee claimant complainant demandante demandado " +
	"recurrente recurrido klager klagerin beklagter beklagte demandeur defendeur attore convenuto ricorrente reu recorrido 原告 被告 원고 피고")

// question is what the header of a column leaves open about the field that it is proposed for.
type question struct {
	field, concept string
	ask            string // %s is the column
}

// questions are asked if a column's header has the concept.
var questions = []question{
	{"client_agent_id", "agent", "%s: the service's Agent is the client, a company. Where the column names the attorney instead, write the client's column or remove the line."},
	{"client_agent_id", "proxy", "%s: the service's Agent is the client, a company. Where the column names the attorney instead, write the client's column or remove the line."},
	{"user_id", "handler", "%s names who works on a matter; the mapping takes them as the responsible user. Write the column of the responsible lawyer where there is one."},
	{"client_id", "person", "%s are taken as the client's name: check that they are not those of somebody else."},
	{"file_client_id", "person", "%s are taken as the client's name: check that they are not those of somebody else."},
	{"client_agent_id", "person", "%s are taken as the client's name: check that they are not those of somebody else."},
	{"mark_text", "text", "%s is taken as the text of the mark: check that it is not the name of something else."},
}

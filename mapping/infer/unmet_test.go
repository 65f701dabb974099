package infer_test

import (
	"strings"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

// TestExportsThatNobodyHasMet are small exports as they come: what each is taken for, what is written, and what is asked.
func TestExportsThatNobodyHasMet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		lines     []string
		operation payload.Operation // that is found
		want      []string          // lines of the mapping
		asked     string
		skipped   int
	}{
		{name: "texts that mean an empty cell", operation: payload.CreateCase,
			lines: []string{"Matter No|Matter Name|Client|Responsible", "1|Lease|Acme|NULL", "2|Sale|N/A|JD", "3|Will|Bolt|NULL", "4|Deed|N/A|JD", "5|Loan|Acme|-"},
			want:  []string{"blanks: [N/A, 'NULL']", "user_id: {column: Responsible, lookup: users}"}},
		{name: "a text that stands once is a value", operation: payload.UpdateTrademark,
			lines: []string{"Ref|Mark|App No|Notes", "1|NULL|A1|x", "2|MAR|A2|y"},
			want:  []string{"mark_text: Mark"}},
		{name: "texts that mean an empty date", operation: payload.CreateCase,
			lines: []string{"Matter No|Matter Name|Closed", "1|Lease|NULL", "2|Sale|2020-01-02", "3|Will|null", "4|Deed|NULL"},
			want:  []string{`active: {expr: 'fold(row["Closed"]) in ["", "null"]'}`}},
		{name: "a mark and its number are enough", operation: payload.UpdateTrademark,
			lines: []string{"Mark|Application No", "SOL|018123456", "MAR|018123457"}},
		{name: "lawsuits are no marks", operation: payload.CreateCase,
			lines: []string{"Case No|Petitioner|Respondent|Filing Date|Filing No|Registration Date|Registration No", "C-1|Doe|Acme|2020-01-31|F1|2020-02-28|R1", "C-2|Roe|Bolt|2020-01-30|F2|2020-02-27|R2"},
			want:  []string{"key: Case No"}},
		{name: "lawsuits about marks are no marks", operation: payload.CreateCase,
			lines: []string{"Proceeding|Plaintiff|Defendant|Mark|Application No|Registration No", "P-1|Doe|Acme|SOL|A1|R1"}},
		{name: "first and last name", operation: payload.CreateCase,
			lines: []string{"Matter No|Matter Name|First Name|Middle Name|Last Name", "1|Lease|Ann||Doe", "2|Sale|Jim|B.|Roe"},
			want:  []string{"client_id: {columns: [First Name, Middle Name, Last Name], lookup: clients}"}, asked: "taken as the client's name"},
		{name: "first and last name, and no name of the case", operation: payload.CreateCase,
			lines: []string{"Matter No|First Name|Last Name|Attorney", "M1|Jane|Doe|AB", "M2|Joe|Roe|CD"},
			want:  []string{"client_id: {columns: [First Name, Last Name], lookup: clients}"}, asked: "No column looks like name"},
		{name: "the lawyer's first and last name", operation: payload.CreateCase,
			lines: []string{"Matter No|Matter Name|Client|Attorney Surname|Attorney Forename", "1|Lease|Acme|Doe|Ann", "2|Sale|Bolt|Roe|Jim"},
			want:  []string{"user_id: {columns: [Attorney Forename, Attorney Surname], lookup: users}", "client_id: {column: Client, lookup: clients}"}},
		{name: "a contact beside the client", operation: payload.CreateCase,
			lines: []string{"Matter No|Matter Name|Client|First Name|Last Name", "1|Lease|Acme|Ann|Doe"},
			want:  []string{"client_id: {column: Client, lookup: clients}"}},
		{name: "German", operation: payload.CreateCase,
			lines: []string{"Aktenzeichen|Bezeichnung|Mandant|Sachbearbeiter", "1|Miete|Acme|JD", "2|Kauf|Acme|JD"},
			want:  []string{"key: Aktenzeichen", "name: Bezeichnung", "user_id: {column: Sachbearbeiter, lookup: users}"}, asked: "Sachbearbeiter names who works on a matter"},
		{name: "Spanish", operation: payload.UpdateTrademark,
			lines: []string{"Expediente|Denominación|Nº solicitud|Clases|Agente", "E1|SOL|M001|9, 35|Pons", "E2|MAR|M002|5|Pons", "E3|RIO|M003|3|Elzaburu"},
			want: []string{"mark_text: Denominación", "application_number: Nº solicitud", `split: {column: Clases, entries: ","}`,
				"client_agent_id: {column: Agente, lookup: agents}"}, asked: "Agente: the service's Agent is the client"},
		{name: "the client before the agent", operation: payload.UpdateTrademark,
			lines: []string{"Expediente|Marca|Nº solicitud|Agente|Cliente", "E1|SOL|M001|Pons|Acme", "E2|MAR|M002|Pons|Acme", "E3|RIO|M003|Elzaburu|Bolt"},
			want:  []string{"client_agent_id: {column: Cliente, lookup: agents}"}},
		{name: "Chinese", operation: payload.UpdateTrademark,
			lines: []string{"案号|商标名称|申请号|申请日期|注册号|注册日期|国际分类|客户名称|备注", "T-1|太阳|7001|2020-01-31|R1|2021-01-31|9|甲公司|続", "T-2|月亮|7002|2020-01-30|R2|2021-01-30|35|甲公司|变更"},
			want: []string{"key: 案号", "mark_text: 商标名称", "application_number: 申请号", "application_date: 申请日期", "registration_number: 注册号", "registration_date: 注册日期",
				"search_class_id: {column: 国际分类, lookup: classes}", "client_agent_id: {column: 客户名称, lookup: agents}", "notes: 备注"}},
		{name: "Japanese", operation: payload.UpdateTrademark,
			lines: []string{"整理番号|商標|出願番号|出願日|登録番号|登録日|区分|指定商品|顧客名|代理人", "T-1|太陽|2020-1|2020/01/31|R1|2021/01/31|9|ソフト|甲社|乙", "T-2|月|2020-2|2020/01/30|R2|2021/01/30|35|広告|甲社|乙"},
			want: []string{"key: 整理番号", "mark_text: 商標", "application_number: 出願番号", "application_date: 出願日", "registration_number: 登録番号", "registration_date: 登録日",
				"search_class_id: {column: 区分, lookup: classes}", "text: 指定商品", "client_agent_id: {column: 顧客名, lookup: agents}"}},
		{name: "Japanese cases", operation: payload.CreateCase,
			lines: []string{"事件番号|件名|依頼人|担当者", "1|賃貸|甲社|山田", "2|売買|乙社|山田"},
			want:  []string{"key: 事件番号", "name: 件名", "client_id: {column: 依頼人, lookup: clients}", "user_id: {column: 担当者, lookup: users}"}, asked: "担当者 names who works"},
		{name: "Korean", operation: payload.UpdateTrademark,
			lines: []string{"관리번호|상표|출원번호|출원일|등록번호|등록일|상태", "T-1|태양|40-1|2020-01-31|R1|2021-01-31|등록", "T-2|달|40-2|2020-01-30|R2|2021-01-30|등록"},
			want: []string{"key: 관리번호", "mark_text: 상표", "application_number: 출원번호", "application_date: 출원일", "registration_number: 등록번호", "registration_date: 등록일",
				"status: 상태"}},
		{name: "headers over several lines", operation: payload.UpdateTrademark,
			lines: []string{"Our⏎Ref|Mark|Application⏎No|Filing⏎Date (dd/mm/yyyy)|Notes⏎a|Notes a", "1|SOL|A1|03/04/2020|x|y"},
			want:  []string{"key: Our Ref", "application_number: Application No", "application_date: Filing Date (dd/mm/yyyy)", "dates: DD/MM/YYYY"}},
		{name: "subtotals and a footer", operation: payload.CreateCase, skipped: 6,
			lines: []string{"Client|Matter Name|Matter No|Fees", "Acme|Lease|1|10", "Acme|Sale|2|20", "Acme Total|||30", "Bolt|Will|3|5", "Bolt Total|||5", "Grand Total|||35",
				"Subtotal|||35", "Printed 31.12.2020 by JD|||", "Page 1 of 1|||"},
			want: []string{`totals: 'row["Client"] endsWith " Total" and row["Matter Name"] == ""'`, `totals 2: 'row["Client"] startsWith "Grand Total" and row["Matter Name"] == ""'`, `totals 3: 'row["Client"] startsWith "Subtotal" and row["Matter Name"] == ""'`,
				`footer: 'row["Client"] startsWith "Printed " and row["Matter Name"] == ""'`, `footer 2: 'row["Client"] startsWith "Page " and row["Matter Name"] == ""'`}},
		{name: "a footer in a column of numbers", operation: payload.CreateCase, skipped: 2,
			lines: []string{"Matter No|Matter Name|Client|Status", "M-1|Lease|Acme|Open", "M-2|Sale|Acme|Open", "M-3|Will|Acme|Open", "2 records|||", "Only for internal use|||"},
			want:  []string{`footer: 'row["Matter No"] matches "^[0-9]+ records$"'`, `footer 2: 'row["Matter No"] == "Only for internal use"'`}},
		{name: "records like subtotals are kept", operation: payload.CreateCase, skipped: 1,
			lines: []string{"Client|Matter Name|Matter No|Status", "Acme|Lease|1|Open", "Bolt Total|Sale|2|Open", "Acme Total|||"},
			want:  []string{`skip: {totals: 'row["Client"] endsWith " Total" and row["Matter Name"] == ""'}`}},
		{name: "a client called like a subtotal", operation: payload.CreateCase,
			lines: []string{"Client|Matter Name|Matter No|Status", "Acme|Lease|1|Open", "Acme Total|Sale|2|Open", "Acme Total|||"}, asked: "Matter No, the key: 1 row has none"},
		{name: "rows of one key", operation: payload.CreateCase,
			lines: []string{"Matter No|Matter Name|Client", "1|Lease|Acme", "1|Lease|Acme", "2|Sale|Acme", "3|Will|Acme", "4|Deed|Acme"},
			asked: "such as 1. Rows that say the same become one record; rows that differ are rejected, all of them."},
		{name: "signs written as HTML", operation: payload.CreateCase,
			lines: []string{"Matter No|Matter Name|Client", "1|Lease|Smith &amp; Co", "2|Sale|R&D; Ltd", "3|Will|Doe &amp; Roe"},
			asked: `Client: 2 cells are written as HTML, such as Smith &amp; Co in row 2, and will be sent as is. Correct the export, or set the field to {expr: 'replace(row["Client"], "&amp;", "&")'}.`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := propose(t, "", test.lines...)
			if p.Operation != test.operation {
				t.Fatalf("proposes %s (%s), want %s", p.Operation, p.Why, test.operation)
			}
			has(t, p, test.want...)
			if asked := strings.Join(p.Decide, "\n"); !strings.Contains(asked, test.asked) {
				t.Errorf("asks %q, want %q", asked, test.asked)
			}
			if strings.Contains(lineOf(p.Mapping, "blanks"), "NULL") && test.name == "a text that stands once is a value" {
				t.Errorf("a mark called NULL is taken as none:\n%s", p.Mapping)
			}
			header, rows := sheet(test.lines...)
			var all []table.Row
			for row := range rows {
				all = append(all, row)
			}
			m, err := bind(t, p, header, all...)
			if err != nil {
				if !strings.Contains(err.Error(), "? which column") {
					t.Error(err)
				}
				return
			}
			skipped := 0
			for _, row := range all {
				if _, skip, _ := m.Key(row); skip != "" {
					skipped++
				}
			}
			if skipped != test.skipped || p.Skipped != test.skipped {
				t.Errorf("the mapping leaves out %d rows, the proposal says %d, want %d:\n%s", skipped, p.Skipped, test.skipped, p.Mapping)
			}
		})
	}
}
